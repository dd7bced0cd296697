import type { Connections } from '../connections/connections.ts';
import type { TunnelContext } from '../flows/tunnel.ts';
import type { LoginGuard } from './login-guard.ts';

/** The parts of the node that listeners use. */
export interface ListenerContext extends TunnelContext {
  readonly connections: Pick<Connections, 'find' | 'authorize' | 'findByAddress' | 'authorizeAddress'>;
  readonly loginGuard: LoginGuard;
  /** Of clients without credentials. */
  readonly addressGuard: LoginGuard;
}

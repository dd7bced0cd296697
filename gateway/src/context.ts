import type { Logger } from 'pino';
import type { Connections } from './connections.ts';
import type { Limits } from './limits.ts';
import type { LoginGuard } from './login-guard.ts';
import type { Metrics } from './metrics.ts';
import type { Mover } from './pipe/pipe.ts';
import type { EndReason, Tunnel } from './tunnel.ts';

/** What the parts of a running gateway share. */
export interface GatewayContext {
  readonly limits: Limits;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly mover: Mover;
  readonly connections: Connections;
  readonly loginGuard: LoginGuard;
  readonly tunnels: Set<Tunnel>;
  readonly isDraining: boolean;
  tunnelClosed(tunnel: Tunnel, reason: EndReason): void;
}

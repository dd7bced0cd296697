import type { Connections } from '../connections/connections.ts';
import type { TunnelContext } from '../flows/tunnel.ts';
import type { CertificateFiles } from '../tls/certificate-files.ts';
import type { AssociationContext } from '../udp/association.ts';
import type { ClientSockets } from './client-sockets.ts';
import type { LoginGuard } from './login-guard.ts';
import type { WrongCredentials } from './wrong-credentials.ts';

/** The parts of the node that listeners use. */
export interface ListenerContext extends TunnelContext, AssociationContext {
  readonly clients: ClientSockets;
  readonly connections: Pick<Connections, 'find' | 'authorize' | 'findByAddress' | 'authorizeAddress' | 'loginRefused'>;
  readonly certificate: Pick<CertificateFiles, 'current'>;
  readonly loginGuard: LoginGuard;
  readonly wrongCredentials: WrongCredentials;
  /** Limits checks of clients without credentials. */
  readonly addressGuard: LoginGuard;
  /** Returned to UDP clients instead of the address of this host to which they connected, if it has the same family. */
  readonly publicAddresses: readonly string[];
}

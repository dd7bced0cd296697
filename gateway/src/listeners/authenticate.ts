import type { Connection } from '../connections/connection.ts';
import type { Credentials } from '../protocol/socks5.ts';
import { causeOf, TunnelFailure } from '../statuses.ts';
import type { ClientSocket } from './client-socket.ts';
import type { ListenerContext } from './listener-context.ts';

/**
 * Finds the connection of a client. After too many failed logins, unknown credentials from the same network are refused for
 * a while. Credentials that are known in this run still work, so other users behind the address can continue.
 * @throws TunnelFailure
 */
export async function authenticate(
  { connections, loginGuard, log }: ListenerContext,
  { network, address: clientAddress }: ClientSocket,
  credentials: Credentials,
): Promise<Connection> {
  try {
    const known = connections.find(credentials);
    if (known) return known;
    if (loginGuard.isBlocked(network)) throw new TunnelFailure('too-many-failures');
    return await connections.authorize(credentials);
  } catch (error) {
    const cause = causeOf(error);
    if (cause === 'credentials-wrong') loginGuard.recordFailure(network);
    log.info({ cause, clientAddress }, 'Login refused');
    throw error;
  }
}

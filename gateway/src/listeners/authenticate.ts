import type { Connection } from '../connections/connection.ts';
import type { Credentials } from '../protocol/socks5.ts';
import { causeOf, TunnelFailure } from '../statuses.ts';
import type { ClientSocket } from './client-socket.ts';
import type { ListenerContext } from './listener-context.ts';

/**
 * Finds the connection of a client. A network that guesses is closed for a while to credentials that this run does not
 * know; those that it knows stay good, so that a guesser cuts off nobody who works behind the same address.
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
    if (loginGuard.isClosed(network)) throw new TunnelFailure('too-many-failures');
    return await connections.authorize(credentials);
  } catch (error) {
    const cause = causeOf(error);
    if (cause === 'credentials-wrong') loginGuard.failed(network);
    log.info({ cause, clientAddress }, 'Login refused');
    throw error;
  }
}

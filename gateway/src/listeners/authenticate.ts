import type { Connection } from '../connection.ts';
import type { GatewayContext } from '../context.ts';
import type { Credentials } from '../protocol/socks5.ts';
import { causeOf, TunnelFailure } from '../statuses.ts';
import type { ClientSocket } from './client-socket.ts';

/**
 * Finds the connection of a client. An address that guesses is closed for a while, whatever it says next.
 * @throws TunnelFailure
 */
export async function authenticate(
  { connections, loginGuard, log, metrics }: GatewayContext,
  client: ClientSocket,
  credentials: Credentials,
): Promise<Connection> {
  try {
    if (loginGuard.isClosed(client.network)) throw new TunnelFailure('too-many-failures');
    return await connections.authenticate(credentials);
  } catch (error) {
    const cause = causeOf(error);
    if (cause === 'credentials-wrong') loginGuard.failed(client.network);
    metrics.refusals.inc({ reason: cause });
    log.info({ cause, clientAddress: client.address }, 'Login refused');
    throw error;
  }
}

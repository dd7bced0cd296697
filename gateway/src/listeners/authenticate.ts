import type { Connection } from '../connection.ts';
import type { GatewayContext } from '../context.ts';
import type { Credentials } from '../protocol/socks5.ts';
import { causeOf, TunnelFailure } from '../statuses.ts';

/**
 * Finds the connection of a client. An address that guesses is closed for a while, whatever it says next.
 * @throws TunnelFailure
 */
export async function authenticate(
  { connections, loginGuard, log, metrics }: GatewayContext,
  clientAddress: string,
  credentials: Credentials,
): Promise<Connection> {
  try {
    if (loginGuard.isClosed(clientAddress)) throw new TunnelFailure('too-many-failures');
    return await connections.authenticate(credentials);
  } catch (error) {
    const cause = causeOf(error);
    if (cause === 'credentials-wrong') loginGuard.failed(clientAddress);
    metrics.refusals.inc({ reason: cause });
    log.info({ cause, clientAddress }, 'Login refused');
    throw error;
  }
}

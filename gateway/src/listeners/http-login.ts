import type { Login } from '../connections/connection.ts';
import { parseBasicCredentials } from '../protocol/basic-auth.ts';
import { TunnelFailure } from '../statuses.ts';
import { authenticate, authenticateByAddress } from './authenticate.ts';
import type { ClientSocket } from './client-socket.ts';
import type { ListenerContext } from './listener-context.ts';

/**
 * @param proxyAuthorization the field value; without it, the client is authenticated by its address
 * @throws TunnelFailure
 */
export async function logInOverHttp(
  context: ListenerContext,
  client: ClientSocket,
  proxyAuthorization: string | undefined,
): Promise<Login> {
  if (proxyAuthorization === undefined) return authenticateByAddress(context, client);
  const credentials = parseBasicCredentials(proxyAuthorization);
  if (!credentials) throw new TunnelFailure('invalid-credentials');
  return authenticate(context, client, credentials);
}

import { canonicalAddress } from '@cellhop/contract/network';
import type { Login } from '../connections/connection.ts';
import type { Credentials } from '../protocol/socks5.ts';
import { causeOf, TunnelFailure } from '../statuses.ts';
import type { ClientSocket } from './client-socket.ts';
import type { ListenerContext } from './listener-context.ts';

type AuthenticationContext = Pick<ListenerContext, 'connections' | 'loginGuard' | 'addressGuard' | 'log'>;

/**
 * Finds the connection of a client. A network that guesses is closed for a while to credentials that this run does not
 * know; those that it knows stay good, so that a guesser cuts off nobody who works behind the same address.
 * @throws TunnelFailure
 */
export async function authenticate(
  { connections, loginGuard, log }: AuthenticationContext,
  { network, address: clientAddress }: ClientSocket,
  credentials: Credentials,
): Promise<Login> {
  const address = canonicalAddress(clientAddress);
  try {
    const known = connections.find(credentials, address);
    if (known) return known;
    if (loginGuard.isClosed(network)) throw new TunnelFailure('too-many-failures');
    return await connections.authorize(credentials, address);
  } catch (error) {
    const cause = causeOf(error);
    if (cause === 'credentials-wrong') loginGuard.failed(network);
    log.info({ cause, clientAddress }, 'Login refused');
    throw error;
  }
}

/**
 * Finds the connection of a client that has shown no credentials, by its address. Anybody can make this node ask the control plane
 * so: a network from which many addresses are refused is not asked about for a while.
 * @throws TunnelFailure
 */
export async function authenticateByAddress(
  { connections, addressGuard }: AuthenticationContext,
  { network, address: clientAddress }: ClientSocket,
): Promise<Login> {
  const address = canonicalAddress(clientAddress);
  if (address === undefined) throw new TunnelFailure('credentials-wrong');
  const known = connections.findByAddress(address);
  if (known) return known;
  if (addressGuard.isClosed(network)) throw new TunnelFailure('credentials-wrong');
  try {
    return await connections.authorizeAddress(address);
  } catch (error) {
    addressGuard.failed(network);
    throw error;
  }
}

import { canonicalAddress } from '@cellhop/contract/network';
import type { Login } from '../connections/connection.ts';
import { parseBasicCredentials } from '../protocol/http-fields.ts';
import type { Credentials } from '../protocol/socks5.ts';
import { toCause, TunnelFailure } from '../statuses.ts';
import type { ListenerContext } from './listener-context.ts';
import type { RequestClient } from './request-client.ts';

type AuthenticationContext = Pick<
  ListenerContext,
  'connections' | 'loginGuard' | 'wrongCredentials' | 'addressGuard' | 'log'
>;

type ClientOfNetwork = Pick<RequestClient, 'network' | 'networks' | 'address'>;

/** Known clients need no promise. */
type Found = Login | Promise<Login>;

/**
 * Finds the connection of a client. An empty password is none: programs without credentials send it (Java, with the name
 * of the operating system's user), although their address may be on an allow-list.
 * @throws TunnelFailure
 */
export function logIn(
  context: AuthenticationContext,
  client: ClientOfNetwork,
  credentials: Credentials | undefined,
): Found {
  if (credentials === undefined || credentials.password === '') return authenticateByAddress(context, client);
  if (credentials.username === '') throw new TunnelFailure('invalid-credentials');
  return authenticate(context, client, credentials);
}

/**
 * Finds the connection of a client by its password. After too many distinct wrong pairs of username and password, unknown
 * credentials from the same network are refused for a while; a repeated pair neither counts nor causes a call. Credentials that are
 * known in this run still work, so other users behind the address can continue.
 * @throws TunnelFailure
 */
export function authenticate(context: AuthenticationContext, client: ClientOfNetwork, credentials: Credentials): Found {
  const address = canonicalAddress(client.address);
  const known = context.connections.find(credentials, address);
  if (!known) return authorize(context, client, credentials, address);
  if (address !== undefined) known.connection.recentClients.authenticated(address, known.credential);
  return known;
}

/** @throws TunnelFailure */
async function authorize(
  { connections, loginGuard, wrongCredentials, log }: AuthenticationContext,
  { network, networks, address: clientAddress }: ClientOfNetwork,
  credentials: Credentials,
  address: string | undefined,
): Promise<Login> {
  try {
    if (wrongCredentials.has(network, credentials)) throw new TunnelFailure('invalid-credentials');
    if (loginGuard.isBlocked(networks)) throw new TunnelFailure('too-many-failed-logins');
    const login = await connections.authorize(credentials, address);
    if (address !== undefined) login.connection.recentClients.authenticated(address, login.credential);
    return login;
  } catch (error) {
    const cause = toCause(error);
    if (cause === 'invalid-credentials' && wrongCredentials.add(network, credentials))
      loginGuard.recordFailure(networks);
    connections.loginRefused(credentials.username, cause);
    log.info({ cause, clientAddress }, 'Login refused');
    throw error;
  }
}

/**
 * Finds the connection of a client without credentials, by its address. Any stranger can cause such calls to the control
 * plane, so a network with many refused addresses is blocked for a while.
 * @throws TunnelFailure
 */
export function authenticateByAddress(context: AuthenticationContext, client: ClientOfNetwork): Found {
  const address = canonicalAddress(client.address);
  if (address === undefined) throw new TunnelFailure('invalid-credentials');
  return context.connections.findByAddress(address) ?? authorizeAddress(context, client, address);
}

/** @throws TunnelFailure */
async function authorizeAddress(
  { connections, addressGuard }: AuthenticationContext,
  { networks }: ClientOfNetwork,
  address: string,
): Promise<Login> {
  if (addressGuard.isBlocked(networks)) throw new TunnelFailure('invalid-credentials');
  try {
    return await connections.authorizeAddress(address);
  } catch (error) {
    addressGuard.recordFailure(networks);
    throw error;
  }
}

/**
 * @param proxyAuthorization the field value; without it, the client is authenticated by its address
 * @throws TunnelFailure
 */
export function logInOverHttp(
  context: ListenerContext,
  client: ClientOfNetwork,
  proxyAuthorization: string | undefined,
): Found {
  const credentials = parseBasicCredentials(proxyAuthorization);
  if (proxyAuthorization !== undefined && !credentials) throw new TunnelFailure('invalid-credentials');
  return logIn(context, client, credentials);
}

import type { Login } from '../connections/connection.ts';
import {
  COMMAND_CONNECT,
  COMMAND_UDP_ASSOCIATE,
  encodeAuthenticationStatus,
  encodeMethod,
  encodeReply,
  METHOD_NONE,
  METHOD_USER_PASSWORD,
  parseGreeting,
  parseRequest,
  parseUserPassword,
  SUCCEEDED,
} from '../protocol/socks5.ts';
import { type FailureCause, failureReplies, socks5Reply, TunnelFailure } from '../statuses.ts';
import { openTunnel } from '../flows/tunnel.ts';
import { authenticateByAddress, logIn } from './authenticate.ts';
import type { Handshake, Steps } from './handshake.ts';
import type { ListenerContext } from './listener-context.ts';
import { serveUdpAssociate } from './udp-associate.ts';

const NO_ACCEPTABLE_METHOD = 0xff;
const LOGIN_FAILED = 1;

/**
 * Serves one SOCKS5 client: greeting, username and password, request (RFC 1928, RFC 1929).
 * @throws TunnelFailure
 */
export function* serveSocks5(context: ListenerContext, handshake: Handshake): Steps {
  const { client } = handshake;
  handshake.encodeRefusal = () => encodeMethod(NO_ACCEPTABLE_METHOD);
  const methods = yield* handshake.read(parseGreeting);
  const login = methods.includes(METHOD_USER_PASSWORD)
    ? yield* logInByPassword(context, handshake)
    : yield* logInByAddress(context, handshake, methods);
  handshake.encodeRefusal = (cause) => encodeReply(socks5Reply(cause));
  if (!(login instanceof TunnelFailure)) client.loggedIn(login.connection);
  const request = yield* handshake.read(parseRequest);
  if (login instanceof TunnelFailure) throw login;
  client.requestStarted();
  if (request.command === COMMAND_UDP_ASSOCIATE)
    return yield* handshake.finish(serveUdpAssociate(context, handshake, login));
  if (request.command !== COMMAND_CONNECT) throw new TunnelFailure('command-unsupported');
  const early = handshake.release();
  const waiting = client.transport.waiting(early.length === 0);
  const opening = openTunnel(context, login, 'socks5', { target: request.target, client: waiting });
  const { tunnel, exit } = yield* handshake.finish(opening);
  // BND.ADDR is the address that the destination sees (RFC 1928, section 6).
  client.transport.write(encodeReply(SUCCEEDED, exit.local()));
  tunnel.join({ client: client.toSide(), exit: exit.side, early });
}

/**
 * If the control plane is unavailable, credentials cannot be checked. Refusing the login would make programs ask their
 * users for a new password, so the login succeeds and the request gets a general failure instead.
 * @throws TunnelFailure for all other failures
 */
function* logInByPassword(context: ListenerContext, handshake: Handshake): Steps<Login | TunnelFailure> {
  const { client } = handshake;
  client.transport.write(encodeMethod(METHOD_USER_PASSWORD));
  handshake.encodeRefusal = () => encodeAuthenticationStatus(LOGIN_FAILED);
  const credentials = yield* handshake.read(parseUserPassword);
  let login: Login | TunnelFailure;
  try {
    login = yield* handshake.withinDeadline(logIn(context, client, credentials));
  } catch (error) {
    if (!(error instanceof TunnelFailure) || isLoginRefusal(error.failure)) throw error;
    login = error;
  }
  client.transport.write(encodeAuthenticationStatus(SUCCEEDED));
  return login;
}

const isLoginRefusal = (cause: FailureCause) =>
  failureReplies[cause].socks5 === 'login-failed' || cause === 'handshake-timeout' || cause === 'client-closed';

/**
 * For clients that do not offer a password: their address may be on an allow-list.
 * @throws TunnelFailure
 */
function* logInByAddress(context: ListenerContext, handshake: Handshake, methods: readonly number[]): Steps<Login> {
  const { client } = handshake;
  if (!methods.includes(METHOD_NONE)) throw new TunnelFailure('invalid-credentials');
  const login = yield* handshake.withinDeadline(authenticateByAddress(context, client));
  client.transport.write(encodeMethod(METHOD_NONE));
  return login;
}

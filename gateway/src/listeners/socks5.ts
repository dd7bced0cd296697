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
import { toCause, type FailureCause, failureReplies, TunnelFailure } from '../statuses.ts';
import { openTunnel } from '../flows/tunnel.ts';
import { authenticate, authenticateByAddress } from './authenticate.ts';
import type { Handshake } from './handshake.ts';
import type { ListenerContext } from './listener-context.ts';
import { serveUdpAssociate } from './udp-associate.ts';

const NO_ACCEPTABLE_METHOD = 0xff;
const LOGIN_FAILED = 1;

interface RefusedLogin {
  readonly cause: FailureCause;
  readonly reply: Uint8Array;
}

/** Serves one SOCKS5 client: greeting, username and password, request (RFC 1928, RFC 1929). */
export async function serveSocks5(context: ListenerContext, handshake: Handshake): Promise<void> {
  const { client } = handshake;
  const { socket } = client;
  const methods = await handshake.read(parseGreeting);
  const login = methods.includes(METHOD_USER_PASSWORD)
    ? await logIn(context, handshake)
    : await logInByAddress(context, handshake, methods);
  if ('reply' in login) return refuse(context, handshake, login.cause, login.reply);
  try {
    const request = await handshake.read(parseRequest);
    if (login instanceof TunnelFailure) throw login;
    client.authenticated(login.connection);
    if (request.command === COMMAND_UDP_ASSOCIATE) return await serveUdpAssociate(context, handshake, login);
    if (request.command !== COMMAND_CONNECT) throw new TunnelFailure('command-unsupported');
    const early = handshake.release();
    const { target } = request;
    const { tunnel, exit } = await openTunnel(context, login, 'socks5', { target, client: socket, early });
    // BND.ADDR is the address that the destination sees (RFC 1928, section 6).
    socket.write(encodeReply(SUCCEEDED, exit.local()));
    tunnel.join({ client: client.toSide(), exit, early });
  } catch (error) {
    const cause = toCause(error);
    const { socks5 } = failureReplies[cause];
    if (typeof socks5 === 'string' || cause === 'internal') throw error;
    refuse(context, handshake, cause, encodeReply(socks5));
  }
}

function refuse({ metrics }: ListenerContext, handshake: Handshake, cause: FailureCause, reply: Uint8Array): void {
  metrics.refusals.inc({ reason: cause });
  handshake.release();
  handshake.client.closeGracefully(reply);
}

/**
 * If the control plane is unavailable, credentials cannot be checked. Refusing the login would make programs ask their
 * users for a new password, so the login succeeds and the request gets a general failure instead.
 */
async function logIn(context: ListenerContext, handshake: Handshake): Promise<Login | TunnelFailure | RefusedLogin> {
  const { client } = handshake;
  client.socket.write(encodeMethod(METHOD_USER_PASSWORD));
  const credentials = await handshake.read(parseUserPassword);
  const login = await handshake.withinDeadline(authenticate(context, client, credentials)).catch((error: unknown) => {
    const cause = toCause(error);
    const { socks5 } = failureReplies[cause];
    if (socks5 === 'login-failed') return { cause, reply: encodeAuthenticationStatus(LOGIN_FAILED) };
    if (error instanceof TunnelFailure && socks5 !== 'close') return error;
    throw error;
  });
  if (!('reply' in login)) client.socket.write(encodeAuthenticationStatus(SUCCEEDED));
  return login;
}

/** For clients that do not offer a password: their address may be on an allow-list. */
async function logInByAddress(
  context: ListenerContext,
  handshake: Handshake,
  methods: readonly number[],
): Promise<Login | RefusedLogin> {
  const { client } = handshake;
  try {
    if (!methods.includes(METHOD_NONE)) throw new TunnelFailure('invalid-credentials');
    const login = await handshake.withinDeadline(authenticateByAddress(context, client));
    client.socket.write(encodeMethod(METHOD_NONE));
    return login;
  } catch (error) {
    const cause = toCause(error);
    if (failureReplies[cause].socks5 === 'close' || cause === 'internal') throw error;
    return { cause, reply: encodeMethod(NO_ACCEPTABLE_METHOD) };
  }
}

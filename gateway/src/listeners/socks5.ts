import type { Connection } from '../connections/connection.ts';
import {
  COMMAND_CONNECT,
  encodeAuthenticationStatus,
  encodeMethod,
  encodeReply,
  METHOD_USER_PASSWORD,
  parseGreeting,
  parseRequest,
  parseUserPassword,
} from '../protocol/socks5.ts';
import { causeOf, failureReplies, type FailureCause, TunnelFailure } from '../statuses.ts';
import type { ExitStream } from '../exits/exit.ts';
import { openTunnel } from '../flows/tunnel.ts';
import { authenticate } from './authenticate.ts';
import type { Handshake } from './handshake.ts';
import type { ListenerContext } from './listener-context.ts';

const NO_ACCEPTABLE_METHOD = 0xff;
const SUCCEEDED = 0;
const LOGIN_FAILED = 1;

/** Serves one SOCKS5 client: greeting, username and password, request (RFC 1928, RFC 1929). */
export async function serveSocks5(context: ListenerContext, handshake: Handshake): Promise<void> {
  const { client } = handshake;
  const { socket } = client;
  const methods = await handshake.read(parseGreeting);
  if (!methods.includes(METHOD_USER_PASSWORD)) {
    return refuse(context, handshake, 'credentials-wrong', encodeMethod(NO_ACCEPTABLE_METHOD));
  }
  socket.write(encodeMethod(METHOD_USER_PASSWORD));

  const login = await logIn(context, handshake);
  if (login === 'refused') {
    return refuse(context, handshake, 'credentials-wrong', encodeAuthenticationStatus(LOGIN_FAILED));
  }
  socket.write(encodeAuthenticationStatus(SUCCEEDED));
  try {
    const request = await handshake.read(parseRequest);
    if (login instanceof TunnelFailure) throw login;
    client.authenticated(login);
    if (request.command !== COMMAND_CONNECT) throw new TunnelFailure('command-unsupported');
    const early = handshake.release();
    const { tunnel, exit } = await openTunnel(context, login, 'socks5', { target: request.target, client: socket });
    socket.write(encodeReply(SUCCEEDED, boundTo(exit)));
    tunnel.join({ client: client.toSide(), exit, early });
  } catch (error) {
    const cause = causeOf(error);
    const { socks5 } = failureReplies[cause];
    if (socks5 === 'close' || cause === 'internal') throw error;
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
async function logIn(context: ListenerContext, handshake: Handshake): Promise<Connection | TunnelFailure | 'refused'> {
  const credentials = await handshake.read(parseUserPassword);
  try {
    return await handshake.withinDeadline(authenticate(context, handshake.client, credentials));
  } catch (error) {
    const cause = causeOf(error);
    if (cause === 'credentials-wrong') return 'refused';
    if (error instanceof TunnelFailure && failureReplies[cause].socks5 !== 'close') return error;
    throw error;
  }
}

/** BND.ADDR is the address that the destination sees (RFC 1928, section 6). */
function boundTo(exit: ExitStream): { bytes: Uint8Array; port: number } | undefined {
  const local = exit.local();
  return local && { bytes: local.address, port: local.port };
}

import type { Socket } from 'node:net';
import type { Connection } from '../connection.ts';
import type { GatewayContext } from '../context.ts';
import { parseHost } from '../protocol/host.ts';
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
import { causeOf, failureAnswers, TunnelFailure } from '../statuses.ts';
import { openTunnel } from '../tunnel.ts';
import { authenticate } from './authenticate.ts';
import { closeWithAnswer, type Handshake } from './handshake.ts';
import { startRelay } from './start-relay.ts';

const NO_ACCEPTABLE_METHOD = 0xff;
const SUCCEEDED = 0;
const LOGIN_FAILED = 1;

/** Serves one SOCKS5 client: greeting, user and password, request (RFC 1928, RFC 1929). */
export async function serveSocks5(context: GatewayContext, handshake: Handshake, done: () => void): Promise<void> {
  const { socket } = handshake;
  const { lingerMs } = context.limits;
  const methods = await handshake.read(parseGreeting);
  if (!methods.includes(METHOD_USER_PASSWORD)) {
    handshake.release();
    return closeWithAnswer(socket, encodeMethod(NO_ACCEPTABLE_METHOD), lingerMs);
  }
  socket.write(encodeMethod(METHOD_USER_PASSWORD));

  const login = await logIn(context, handshake);
  if (login === 'refused') {
    handshake.release();
    return closeWithAnswer(socket, encodeAuthenticationStatus(LOGIN_FAILED), lingerMs);
  }
  socket.write(encodeAuthenticationStatus(SUCCEEDED));
  try {
    const request = await handshake.read(parseRequest);
    done();
    if (login instanceof TunnelFailure) throw login;
    if (request.command !== COMMAND_CONNECT) throw new TunnelFailure('command-unsupported');
    const early = handshake.release();
    const { tunnel, exit } = await openTunnel(context, login, 'socks5', request.target);
    socket.write(encodeReply(SUCCEEDED, boundOf(exit)));
    startRelay(context, tunnel, { client: socket, exit, early });
  } catch (error) {
    const { socks5 } = failureAnswers[causeOf(error)];
    if (socks5 === 'close' || causeOf(error) === 'internal') throw error;
    handshake.release();
    closeWithAnswer(socket, encodeReply(socks5), lingerMs);
  }
}

/**
 * While the control plane is away the login is neither right nor wrong. Calling it wrong would make programs ask
 * their users for a new password, so the request is answered with a general failure instead.
 */
async function logIn(context: GatewayContext, handshake: Handshake): Promise<Connection | TunnelFailure | 'refused'> {
  const credentials = await handshake.read(parseUserPassword);
  try {
    return await authenticate(context, handshake.clientAddress, credentials);
  } catch (error) {
    if (!(error instanceof TunnelFailure) || error.failure === 'too-many-failures') throw error;
    return error.failure === 'credentials-wrong' ? 'refused' : error;
  }
}

/** BND.ADDR is the address that the destination sees, as RFC 1928 wants it. */
function boundOf(exit: Socket): { bytes: Uint8Array; port: number } | undefined {
  const host = parseHost(exit.localAddress ?? '');
  return host?.kind === 'address' ? { bytes: host.bytes, port: exit.localPort ?? 0 } : undefined;
}

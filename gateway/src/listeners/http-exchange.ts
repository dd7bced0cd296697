import { type ClientRequest, type IncomingMessage, request as sendRequest, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { GatewayContext } from '../context.ts';
import { parseBasicCredentials } from '../protocol/basic-auth.ts';
import { hasBody, readRequestHead, requestFields, responseFields, valuesOf } from '../protocol/http-fields.ts';
import type { Target } from '../protocol/host.ts';
import { causeOf, type FailureCause, httpFailure, TunnelFailure } from '../statuses.ts';
import { openTunnel, type Tunnel } from '../tunnel.ts';
import { authenticate } from './authenticate.ts';
import { MeteredSocket } from './metered-socket.ts';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Set when the client asks for another protocol. */
  readonly upgrade: { readonly socket: Socket; readonly head: Buffer } | undefined;
  authenticated(): void;
}

const PROXY_AUTHENTICATION_REQUIRED = 407;

/** One absolute-form request and its answer, on an origin connection of its own. */
export async function exchange(context: GatewayContext, exchange: Exchange): Promise<void> {
  const { request } = exchange;
  const clientAddress = request.socket.remoteAddress ?? '';
  try {
    const url = request.url ?? '';
    const head = {
      method: request.method ?? '',
      url,
      httpVersion: request.httpVersion,
      rawHeaders: request.rawHeaders,
    };
    const forwarded = readRequestHead(head, context.limits.headFields);
    if (typeof forwarded === 'string') throw new TunnelFailure(forwarded);
    const credentials = parseBasicCredentials(forwarded.proxyAuthorization);
    if (!credentials) throw new TunnelFailure('credentials-wrong');
    const connection = await authenticate(context, clientAddress, credentials);
    exchange.authenticated();
    const { tunnel, exit } = await openTunnel(context, connection, 'http-request', forwarded.target);
    const origin = new MeteredSocket(exit, tunnel.meter);
    tunnel.carriedBy(origin);
    forward(exchange, tunnel, origin, { ...forwarded, method: head.method });
  } catch (error) {
    const cause = causeOf(error);
    if (cause === 'internal') context.log.error({ err: error }, 'A request failed');
    else context.log.debug({ cause, clientAddress }, 'Request refused');
    answerFailure(exchange, cause);
  }
}

function forward(
  exchange: Exchange,
  tunnel: Tunnel,
  origin: MeteredSocket,
  { target, path, method }: { target: Target; path: string; method: string },
): void {
  const { request, response, upgrade } = exchange;
  const upgradeTo = upgrade && valuesOf(request.rawHeaders, 'upgrade').join(', ');
  const head = { method, url: path, httpVersion: request.httpVersion, rawHeaders: request.rawHeaders };
  const headers = requestFields(head, target, upgradeTo);
  // First of all listeners: Node's parser takes a reset for the end of a body that has no length.
  origin.on('error', () => breakOff(exchange, tunnel));
  origin.on('close', () => tunnel.close('completed'));
  response.once('close', () => {
    if (!response.writableFinished) tunnel.close('client-failed');
  });
  // The client may have left while the tunnel was opened: its close has been told already, to nobody.
  if (request.socket.destroyed) return tunnel.close('client-failed');

  const sent = sendRequest({ method, path, headers, setHost: false, createConnection: () => origin });
  sent.on('continue', () => response.writeContinue());
  sent.on('response', (answer) => pass(exchange, tunnel, answer));
  sent.on('upgrade', (answer, _, head) => joinUpgraded(exchange, tunnel, origin, { answer, head }));
  sent.on('error', () => breakOff(exchange, tunnel));
  sendBody(request, sent, upgrade !== undefined);
}

function sendBody(request: IncomingMessage, sent: ClientRequest, isUpgrade: boolean): void {
  if (isUpgrade) sent.end();
  else request.pipe(sent);
}

function pass(exchange: Exchange, tunnel: Tunnel, answer: IncomingMessage): void {
  const { response } = exchange;
  if (answer.statusCode === PROXY_AUTHENTICATION_REQUIRED) {
    // The client would take it for ours and send its password again.
    answerFailure(exchange, 'origin-asks-for-proxy-login');
    tunnel.close('exit-failed');
    return;
  }
  answer.on('error', () => breakOff(exchange, tunnel));
  answer.on('end', () => {
    // A body without a length ends like this when the tunnel is cut, too.
    if (tunnel.endReason !== undefined && tunnel.endReason !== 'completed') return breakOff(exchange, tunnel);
    response.end();
    return tunnel.close('completed');
  });
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', responseFields(answer.rawHeaders));
  answer.pipe(response, { end: false });
}

/** Another protocol has begun (RFC 9110, section 7.8): from here on the bytes are nobody's business. */
function joinUpgraded(
  { response, upgrade }: Exchange,
  tunnel: Tunnel,
  origin: MeteredSocket,
  { answer, head }: { answer: IncomingMessage; head: Buffer },
): void {
  if (!upgrade) return tunnel.close('exit-failed');
  const { socket } = upgrade;
  response.removeAllListeners('close');
  response.detachSocket(socket);
  const fields = [...responseFields(answer.rawHeaders), 'Connection', 'Upgrade'];
  fields.push('Upgrade', valuesOf(answer.rawHeaders, 'upgrade').join(', '));
  const lines = fields.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${fields[index + 1]}\r\n`] : []));
  socket.write(`HTTP/1.1 101 ${answer.statusMessage ?? ''}\r\n${lines.join('')}\r\n`, 'latin1');
  if (head.length > 0) socket.write(head);
  if (upgrade.head.length > 0) origin.write(upgrade.head);
  socket.on('error', () => tunnel.close('client-failed'));
  socket.on('close', () => tunnel.close('client-failed'));
  origin.on('error', () => socket.resetAndDestroy());
  origin.on('close', () => socket.destroySoon());
  socket.pipe(origin);
  origin.pipe(socket);
}

/** A message that has begun cannot be taken back. Cutting the socket keeps it from looking complete. */
function breakOff(exchange: Exchange, tunnel: Tunnel): void {
  const { response, request } = exchange;
  if (tunnel.endReason === 'completed') return;
  if (!response.headersSent) answerFailure(exchange, tunnel.isFlushing ? 'no-credit' : 'connection-terminated');
  else if (tunnel.isFlushing) request.socket.destroySoon();
  else request.socket.resetAndDestroy();
  tunnel.close('exit-failed');
}

function answerFailure({ request, response }: Exchange, cause: FailureCause): void {
  if (response.headersSent || request.socket.destroyed) return;
  const { status, fields, body } = httpFailure(cause);
  // A body that nobody reads would have to be received to its end before the next request.
  if (hasBody(request.rawHeaders)) response.shouldKeepAlive = false;
  response.writeHead(status, fields);
  response.end(body);
}

import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { type ClientRequest, type IncomingMessage, type InformationEvent, request as sendRequest } from 'node:http';
import { pipeline } from 'node:stream';
import type { Limits } from '../limits.ts';
import { TunnelFailure } from '../statuses.ts';
import type { Transport } from '../pipe/handle.ts';
import type { Overhead } from './overhead.ts';
import type { StreamReader } from './stream-reader.ts';
import { closeStream } from './streams.ts';

interface Forwarding {
  /** The gateway's other end of it serves the request. */
  readonly socket: Transport;
  readonly overhead: Pick<Overhead, 'passed'>;
  readonly limits: Pick<Limits, 'flushMs' | 'responseHeadBytes'>;
}

/** Of one hop (RFC 9113, section 8.2.2), and `host`, which `:authority` replaces. */
const NOT_FORWARDED = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'host',
  'cookie',
]);
const NO_BODY = new Set([204, 205, 304]);

/**
 * Sends a request of HTTP/2 as one of HTTP/1.1 in absolute form, which the gateway serves as of any client: browsers send `http://` requests to an `https://`
 * proxy so. Its response returns on the stream.
 * @throws TunnelFailure
 */
export function forwardRequest(
  stream: ServerHttp2Stream,
  reader: StreamReader,
  { headers, rawHeaders }: { headers: IncomingHttpHeaders; rawHeaders: readonly string[] },
  { socket, overhead, limits }: Forwarding,
): void {
  const { ':scheme': scheme, ':authority': authority, ':path': path = '/', ':method': method = '' } = headers;
  if (scheme === 'https') throw new TunnelFailure('connect-required');
  if (scheme !== 'http' || !authority) throw new TunnelFailure('not-absolute');
  const hasBody = !stream.endAfterHeaders;
  const sent = sendRequest({
    method,
    path: `http://${authority}${path === '*' ? '' : path}`,
    headers: toFields(authority, headers, rawHeaders, hasBody),
    setHost: false,
    createConnection: () => socket,
    maxHeaderSize: limits.responseHeadBytes,
  });
  sent.maxHeadersCount = 0;
  stream.once('close', () => sent.destroy());
  sent.on('error', () => closeStream(stream, constants.NGHTTP2_INTERNAL_ERROR, limits));
  sent.on('information', (interim: InformationEvent) => forwardInterim(stream, interim));
  sent.on('response', (response) => forwardResponse(stream, response, method === 'HEAD', { overhead, limits }));
  sendBody(reader, sent);
}

/** What has a length keeps it; everything else is sent in chunks. */
function toFields(
  authority: string,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
  hasBody: boolean,
): string[] {
  const fields = ['Host', authority];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = [rawHeaders[index], rawHeaders[index + 1]];
    if (!name.startsWith(':') && !NOT_FORWARDED.has(name)) fields.push(name, value);
  }
  // A client may send each crumb by itself (RFC 9113, section 8.2.3).
  if (headers.cookie !== undefined) fields.push('cookie', headers.cookie);
  if (hasBody && headers['content-length'] === undefined) fields.push('Transfer-Encoding', 'chunked');
  return fields;
}

function sendBody(reader: StreamReader, sent: ClientRequest): void {
  sent.on('drain', () => reader.resume());
  reader.start({ data: (chunk) => sent.write(chunk), ended: () => sent.end() });
  reader.resume();
}

function forwardInterim(stream: ServerHttp2Stream, { statusCode, rawHeaders }: InformationEvent): void {
  if (stream.destroyed || stream.headersSent || stream.writableNeedDrain || statusCode === 101) return;
  stream.additionalHeaders({ ':status': statusCode, ...toHeaders(rawHeaders) });
}

function forwardResponse(
  stream: ServerHttp2Stream,
  response: IncomingMessage,
  isHead: boolean,
  { overhead, limits }: Pick<Forwarding, 'overhead' | 'limits'>,
): void {
  if (stream.destroyed || stream.closed) {
    response.destroy();
    return;
  }
  const { statusCode = 502, rawHeaders } = response;
  const endStream = isHead || NO_BODY.has(statusCode);
  stream.respond({ ':status': statusCode, ...toHeaders(rawHeaders) }, { endStream });
  if (endStream) {
    response.resume();
    return;
  }
  pipeline(response, stream, (error) => {
    if (error) closeStream(stream, constants.NGHTTP2_INTERNAL_ERROR, limits);
  });
  response.on('data', (chunk: Buffer) => overhead.passed(chunk.length));
}

/** A name of several fields gets a list of values, of which HTTP/2 sends each by itself. */
function toHeaders(rawHeaders: readonly string[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = [rawHeaders[index]?.toLowerCase(), rawHeaders[index + 1]];
    if (name !== 'host' && name !== 'cookie' && NOT_FORWARDED.has(name)) continue;
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}

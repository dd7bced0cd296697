import { constants, type ServerHttp2Session, type ServerHttp2Stream, type ServerSessionOptions } from 'node:http2';
import type { Limits } from '../limits.ts';
import { type FailureCause, httpFailure } from '../statuses.ts';

type SessionLimits = Pick<
  Limits,
  'headBytes' | 'headFields' | 'http2Streams' | 'http2WindowBytes' | 'newTunnelsPerSecond'
>;

const CONNECTION_WINDOWS = 4;
const MEGABYTE = 1024 * 1024;

/** What one client may make the library keep or do. It has limits for some floods; `overhead.ts` is for all others. */
export const sessionOptions = (limits: SessionLimits): ServerSessionOptions => ({
  settings: {
    maxConcurrentStreams: limits.http2Streams,
    initialWindowSize: limits.http2WindowBytes,
    maxHeaderListSize: limits.headBytes,
    enableConnectProtocol: false,
  },
  maxHeaderListPairs: limits.headFields,
  // In megabytes: the streams, what waits to be sent on them, and the tables of header compression.
  maxSessionMemory: Math.ceil((limits.http2Streams * limits.http2WindowBytes) / MEGABYTE / CONNECTION_WINDOWS) + 8,
  // Browsers end tunnels by a reset, and may do so as often as they may open them.
  streamResetBurst: 4 * limits.http2Streams,
  streamResetRate: 2 * limits.newTunnelsPerSecond,
});

/** Otherwise all uploads of a client together would pass no more than 64 KB in a round trip. */
export const widen = (session: ServerHttp2Session, { http2WindowBytes }: Pick<Limits, 'http2WindowBytes'>): void =>
  session.setLocalWindowSize(CONNECTION_WINDOWS * http2WindowBytes);

/** Ends a stream. Whoever does not take the frame for `flushMs` reads nothing at all, and loses the connection. */
export function closeStream(stream: ServerHttp2Stream, code: number, { flushMs }: Pick<Limits, 'flushMs'>): void {
  if (stream.destroyed) return;
  const { session } = stream;
  const timer = setTimeout(() => session?.destroy(), flushMs);
  stream.once('close', () => clearTimeout(timer));
  // Before each reset the library sends an end: truncated data would look complete.
  if (code !== constants.NGHTTP2_NO_ERROR) stream.end = () => stream;
  stream.close(code);
}

/** Sends a response of the gateway itself. */
function respond(
  stream: ServerHttp2Stream,
  { status, fields, body }: { status: number; fields: Record<string, string>; body: string | Buffer },
  limits: Pick<Limits, 'flushMs'>,
): void {
  if (stream.destroyed || stream.closed) return;
  if (stream.headersSent) return closeStream(stream, constants.NGHTTP2_CONNECT_ERROR, limits);
  const timer = setTimeout(() => closeStream(stream, constants.NGHTTP2_NO_ERROR, limits), limits.flushMs);
  stream.once('close', () => clearTimeout(timer));
  stream.respond({ ':status': status, ...fields });
  // The client need not send the rest of a request that was refused (RFC 9113, section 8.1).
  stream.end(body, () => closeStream(stream, constants.NGHTTP2_NO_ERROR, limits));
}

export const refuseStream = (stream: ServerHttp2Stream, cause: FailureCause, limits: Pick<Limits, 'flushMs'>): void =>
  respond(stream, httpFailure(cause), limits);

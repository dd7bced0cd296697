/**
 * HTTP to a source that may be slow, silent, throttled, broken or hostile: every request has a bounded time and size. What a response
 * means is up to json-rpc.ts and http-json.ts.
 */
import type { z } from 'zod';
import { isQuotaMessage, requestedPauseMs, ResponseTooLarge } from './refusals.ts';
import { parseSourceUrl, type SourceService } from './source-url.ts';
import { ChainUnavailable } from './watcher.ts';

export interface TransportOptions {
  /** As in the settings, with its secrets. */
  url: string;
  /** The limit of a whole request, including the response. */
  timeoutMs?: number | undefined;
  responseBytesMax?: number | undefined;
}

export type TransportLimits = Omit<TransportOptions, 'url'>;

export interface HttpRequest {
  method: 'GET' | 'POST';
  /** Below the path of the URL, beginning with a slash; empty for the URL itself. */
  path: string;
  query?: URLSearchParams;
  body?: string;
  /** For the interface of a node that may have another port. */
  service?: SourceService | undefined;
  /** Only for requests that take longer than others. */
  timeoutMs?: number | undefined;
}

export interface HttpResponse {
  status: number;
  text: string;
}

export interface HttpTransport {
  /** Host and port, without credentials and path: providers put their keys into both. */
  readonly name: string;
  /** Monotonic time of the last failure, 0 if none: sources that failed recently are used last. */
  failedAtMs: number;
  /**
   * @param read what the response means. A ChainUnavailable of it is a failure of this source, too
   * @throws ChainUnavailable if it does not respond as it should, and what `read` throws
   */
  exchange<T>(request: HttpRequest, signal: AbortSignal, read: (response: HttpResponse) => T): Promise<T>;
  /** Stops requests for a while, which grows if it happens again and again. @returns what the caller throws */
  throttled(message: string): ChainUnavailable;
  /** A text of the source, safe to show: bounded, and without the secrets of the URL. */
  quote(text: string): string;
}

const TIMEOUT_MS = 20_000;
const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;
/** TronGrid and others suspend for half a minute; without Retry-After that is the pause. */
const THROTTLE_PAUSE_MS = 30_000;
const THROTTLE_PAUSE_MS_MAX = 10 * 60_000;
/** Error messages of TON nodes state their reason after some 270 characters. */
const MESSAGE_LENGTH_MAX = 400;
const REFUSAL_BYTES_MAX = 65_536;
const refusedStatuses = new Set([401, 403, 429]);

export function createHttpTransport({
  url,
  timeoutMs = TIMEOUT_MS,
  responseBytesMax = RESPONSE_BYTES_MAX,
}: TransportOptions): HttpTransport {
  const { name, base, services, headers, secrets } = parseSourceUrl(url);
  const throttle = createThrottle(name);

  async function send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const { method, path, query, service, body = null } = request;
    const target = locate((service && services[service]) ?? base, path, query);
    const allHeaders = body === null ? headers : { ...headers, 'content-type': 'application/json' };
    const response = await fetch(target, { method, headers: allHeaders, body, signal, redirect: 'error' });
    if (refusedStatuses.has(response.status)) throw await refuse(response);
    return { status: response.status, text: await readText(response, responseBytesMax, name) };
  }

  /** Providers suspend with 403, too; without a sign of that, waiting does not help. */
  async function refuse(response: Response): Promise<ChainUnavailable> {
    const { status, headers } = response;
    const retryAfter = headers.get('retry-after');
    // The status says enough if the text cannot be read.
    const text = await readText(response, REFUSAL_BYTES_MAX, name).catch(() => '');
    if (status === 429 || retryAfter !== null || isQuotaMessage(text))
      return throttle.begin(`HTTP ${status}`, toPauseMs(retryAfter) ?? requestedPauseMs(text));
    return new ChainUnavailable(
      'INVALID_RESPONSE',
      `${name} refuses access with HTTP ${status}: check the key or password, and whether it admits this server's address`,
    );
  }

  async function exchange<T>(request: HttpRequest, signal: AbortSignal, read: (response: HttpResponse) => T) {
    throttle.check();
    const limitMs = request.timeoutMs ?? timeoutMs;
    const response = await withTimeout(signal, limitMs, (signal) => send(request, signal)).catch((error: unknown) => {
      if (error instanceof ChainUnavailable) throw error;
      throwIfStopped(signal);
      const problem = signal.aborted ? 'did not respond within the time of the poll' : describeFailure(error, limitMs);
      throw new ChainUnavailable('DOWN', `${name} ${problem}`, { cause: error });
    });
    const result = read(response);
    throttle.end();
    return result;
  }

  const transport: HttpTransport = {
    name,
    failedAtMs: 0,
    exchange: async (...args) => {
      try {
        return await exchange(...args);
      } catch (error) {
        if (error instanceof ChainUnavailable) transport.failedAtMs = performance.now();
        throw error;
      }
    },
    throttled: (message) => throttle.begin(transport.quote(message), requestedPauseMs(message)),
    quote: (text) =>
      secrets.reduce((quoted, secret) => quoted.replaceAll(secret, '…'), text).slice(0, MESSAGE_LENGTH_MAX),
  };
  return transport;
}

/** @throws ChainUnavailable which names the field, but not its value */
export function parseResponse<T>(name: string, where: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = [where, ...(issue?.path ?? [])].join('.').slice(0, MESSAGE_LENGTH_MAX);
  throw new ChainUnavailable('INVALID_RESPONSE', `${name} sent an invalid response: ${field}: ${issue?.message}`);
}

function createThrottle(name: string) {
  let untilMs = 0;
  let unrequestedPauses = 0;
  return {
    check(): void {
      if (performance.now() < untilMs) throw new ChainUnavailable('THROTTLED', `${name} throttles`);
    },
    /** @param pauseMs undefined if the source has not requested any */
    begin(message: string, pauseMs?: number): ChainUnavailable {
      const pause = pauseMs ?? THROTTLE_PAUSE_MS * 2 ** unrequestedPauses;
      if (pauseMs === undefined && pause < THROTTLE_PAUSE_MS_MAX) unrequestedPauses += 1;
      // Bounded, because a node's mistake must not stop its chain for days.
      untilMs = performance.now() + Math.min(Math.max(pause, 0), THROTTLE_PAUSE_MS_MAX);
      return new ChainUnavailable('THROTTLED', `${name} throttles: ${message}`);
    },
    end(): void {
      unrequestedPauses = 0;
    },
  };
}

/** The query of the URL may contain a key, so that it stays. */
function locate(base: URL, path: string, query: URLSearchParams | undefined): URL {
  const target = new URL(base);
  if (path !== '') target.pathname = target.pathname.replace(/\/$/, '') + path;
  for (const [name, value] of query ?? []) target.searchParams.append(name, value);
  return target;
}

/** A stop of the worker is no failure of the source, but the end of the time of a poll is. */
function throwIfStopped(signal: AbortSignal): void {
  const { reason } = signal as { reason: unknown };
  if (!(reason instanceof DOMException && reason.name === 'TimeoutError')) signal.throwIfAborted();
}

/** Not AbortSignal.any with AbortSignal.timeout, whose timer cannot be cleared and would outlive most calls. */
async function withTimeout<T>(outer: AbortSignal, timeoutMs: number, run: (signal: AbortSignal) => Promise<T>) {
  outer.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, timeoutMs);
  outer.addEventListener('abort', abort, { once: true });
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', abort);
  }
}

function describeFailure(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === 'AbortError') return `did not respond within ${timeoutMs} ms`;
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return `cannot be reached (${cause?.code ?? cause?.message ?? 'connection failed'})`;
}

async function readText(response: Response, bytesMax: number, name: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop cancels the response.
    if (bytes > bytesMax) throw new ResponseTooLarge(name, bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** @param value seconds or a date */
function toPauseMs(value: string | null): number | undefined {
  if (value === null) return undefined;
  const pauseMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(pauseMs) ? undefined : pauseMs;
}

/** JSON-RPC over HTTP to a node that may be slow, silent, throttled, broken or hostile: every request has a bounded time and size. */
import { z } from 'zod';
import { ChainUnavailable } from './watcher.ts';

export interface JsonRpcOptions {
  /** May contain a user and a password, which are sent as basic authentication. */
  url: string;
  /** The limit of a whole request, including the response. */
  timeoutMs?: number;
  responseBytesMax?: number;
  /** For nodes whose numbers must not become floats. */
  parse?: (text: string) => unknown;
}

type CallArguments<T> = [
  method: string,
  params: readonly unknown[],
  schema: z.ZodType<T>,
  signal: AbortSignal,
  timeoutMs?: number,
];

export interface JsonRpc {
  /** Host and port, without credentials and path: providers put their keys into both. */
  readonly name: string;
  /** Monotonic time of the last failure, 0 if none: sources that failed recently are used last. */
  failedAtMs: number;
  /**
   * @param args timeoutMs: only for methods that take longer than others
   * @throws RpcError if the node refuses the call
   * @throws ChainUnavailable if it does not respond as it should
   */
  call<T>(...args: CallArguments<T>): Promise<T>;
}

/** The node has understood the call and refuses it. The caller decides what that means. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  constructor(
    readonly node: string,
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

const TIMEOUT_MS = 20_000;
const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;
/** TronGrid and others suspend for half a minute; without Retry-After that is the pause. */
const THROTTLE_PAUSE_MS = 30_000;
const THROTTLE_PAUSE_MS_MAX = 10 * 60_000;
const MESSAGE_LENGTH_MAX = 200;
/** Providers report an exceeded quota as an error of the call. It must not be mistaken for "too many logs". */
const QUOTA_MESSAGE =
  /rate.?limit|too many requests|per second|compute units|daily request|request count|quota|throttl/i;

const responseSchema = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).nullish(),
});

export function createJsonRpc({
  url,
  timeoutMs = TIMEOUT_MS,
  responseBytesMax = RESPONSE_BYTES_MAX,
  parse = JSON.parse,
}: JsonRpcOptions): JsonRpc {
  const { target, name, headers } = parseUrl(url);
  let lastId = 0;
  let throttledUntilMs = 0;

  const throttled = (message: string, pauseMs = THROTTLE_PAUSE_MS) => {
    throttledUntilMs = performance.now() + pauseMs;
    return new ChainUnavailable('THROTTLED', `${name} throttles: ${message}`);
  };

  async function post(body: string, signal: AbortSignal): Promise<unknown> {
    const response = await fetch(target, { method: 'POST', headers, body, signal, redirect: 'error' });
    const { status } = response;
    if (status === 403 || status === 429) {
      await response.body?.cancel();
      throw throttled(`HTTP ${status}`, retryAfterMs(response));
    }
    // A proxy in front of the node refuses a request that is too large, which the caller can split.
    if (status === 413) {
      await response.body?.cancel();
      throw new RpcError(name, status, 'the request is too large');
    }
    const text = await readText(response, responseBytesMax, name);
    // Bitcoin's nodes report errors of the call with HTTP 500 and 404, so the body decides.
    try {
      return parse(text);
    } catch {
      const problem = response.ok ? 'sent no JSON' : `responded with HTTP ${status}`;
      throw new ChainUnavailable(response.ok ? 'INVALID_RESPONSE' : 'DOWN', `${name} ${problem}`);
    }
  }

  async function call<T>(...[method, params, schema, signal, callTimeoutMs = timeoutMs]: CallArguments<T>): Promise<T> {
    if (performance.now() < throttledUntilMs) throw new ChainUnavailable('THROTTLED', `${name} throttles`);
    const body = JSON.stringify({ jsonrpc: '2.0', id: (lastId += 1), method, params });
    const response = await withTimeout(signal, callTimeoutMs, (signal) => post(body, signal)).catch(
      (error: unknown) => {
        if (error instanceof ChainUnavailable || error instanceof RpcError) throw error;
        signal.throwIfAborted();
        throw new ChainUnavailable('DOWN', `${name} ${describeFailure(error, callTimeoutMs)}`, { cause: error });
      },
    );
    const { error, result } = parseResponse(name, method, responseSchema, response);
    if (!error) return parseResponse(name, method, schema, result);
    const message = error.message.slice(0, MESSAGE_LENGTH_MAX);
    throw QUOTA_MESSAGE.test(message) ? throttled(message) : new RpcError(name, error.code, message);
  }

  const client: JsonRpc = {
    name,
    failedAtMs: 0,
    async call(...args) {
      try {
        return await call(...args);
      } catch (error) {
        if (error instanceof ChainUnavailable) client.failedAtMs = performance.now();
        throw error;
      }
    },
  };
  return client;
}

function parseUrl(url: string) {
  const target = new URL(url);
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (target.username !== '') {
    const credentials = `${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`;
    headers['authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
    target.username = target.password = '';
  }
  return { target, name: target.host, headers };
}

function parseResponse<T>(name: string, method: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = [method, ...(issue?.path ?? [])].join('.').slice(0, MESSAGE_LENGTH_MAX);
  throw new ChainUnavailable('INVALID_RESPONSE', `${name} sent an invalid response: ${where}: ${issue?.message}`);
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
    if (bytes > bytesMax) throw new ChainUnavailable('INVALID_RESPONSE', `${name} sent more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Seconds or a date; bounded, because a node's mistake must not stop its chain for days. */
function retryAfterMs(response: Response): number {
  const value = response.headers.get('retry-after') ?? '';
  const pauseMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(pauseMs) ? THROTTLE_PAUSE_MS : Math.min(Math.max(pauseMs, 0), THROTTLE_PAUSE_MS_MAX);
}

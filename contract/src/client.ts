/** The typed HTTP client that the web app, the gateway and the tests share. */
import type { ClientInput, EndpointDefinition, Output } from './endpoint.ts';
import type { EndpointInput, EndpointKey, EndpointOutput } from './endpoints.ts';
import type { ErrorCode } from './errors.ts';
import { REQUEST_TIMEOUT_MS } from './limits.ts';
import type { ErrorBody } from './schemas.ts';

const CODE_PATTERN = /^[A-Z][A-Z\d_]*$/;

/** The API returned an error, or no response at all. */
export class ApiError extends Error {
  constructor(
    /** 0 when there was no response. */
    readonly status: number,
    /** An API of a newer release may also return a code that this one does not know. */
    readonly code: ErrorCode | 'NETWORK' | 'TIMEOUT',
    message: string,
    readonly body?: ErrorBody,
    /** From the Retry-After header: how long to wait before the next try. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

export interface CallOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /** Overrides the client's timeout, for example for a long download. */
  timeoutMs?: number;
  /** A file, for endpoints whose body is not JSON of the API. */
  file?: { type: string; content: Blob | string };
}

/** The subset of `fetch` that the client uses. */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string | Blob;
  signal: AbortSignal;
}

export interface FetchResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

export interface ClientSettings {
  baseUrl?: string;
  fetch?: (url: string, init: FetchInit) => Promise<FetchResponse>;
  /** Called before each request; adds the bearer token, for example. */
  headers?: () => Record<string, string> | Promise<Record<string, string>>;
  timeoutMs?: number;
}

/** Calls an endpoint by its declaration. */
export type Call = <const E extends EndpointDefinition>(
  definition: E,
  input: ClientInput<E>,
  options?: CallOptions,
) => Promise<Output<E>>;

/** Calls an endpoint by its method and URL, without its schemas: for the browser. */
export type KeyedCall = <const K extends EndpointKey>(
  key: K,
  input: EndpointInput<K>,
  options?: CallOptions,
) => Promise<EndpointOutput<K>>;

/** @throws ApiError for every status outside 2xx, for timeouts and for network failures */
export function createClient(settings: ClientSettings = {}): Call {
  return ({ method, url }, input, options) =>
    send(settings, method, url, input as LooseInput, options) as Promise<never>;
}

/** @throws ApiError for every status outside 2xx, for timeouts and for network failures */
export function createKeyedClient(settings: ClientSettings = {}): KeyedCall {
  return (key, input, options) => {
    const [method = '', url = ''] = key.split(' ');
    return send(settings, method, url, input as LooseInput, options) as Promise<never>;
  };
}

async function send(
  settings: ClientSettings,
  method: string,
  pattern: string,
  input: LooseInput,
  options: CallOptions = {},
): Promise<unknown> {
  const { params, query, body } = input;
  const headers = { ...(await settings.headers?.()), ...options.headers };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const timeout = startTimeout(options.timeoutMs ?? settings.timeoutMs ?? REQUEST_TIMEOUT_MS);
  const init: FetchInit = {
    method,
    headers,
    signal: options.signal ? AbortSignal.any([options.signal, timeout.signal]) : timeout.signal,
  };
  if (body !== undefined) init.body = JSON.stringify(body);
  if (options.file !== undefined) {
    headers['content-type'] = options.file.type;
    init.body = options.file.content;
  }
  const url = (settings.baseUrl ?? '') + toPath(pattern, params) + toQuery(query);
  const exchanged = exchange(settings.fetch ?? fetch, url, init).finally(() => timeout.stop());
  const { ok, status, text, isFile, retryAfter } = await exchanged;
  // A file is declared as a string; everything else is JSON.
  if (ok) return isFile ? text : JSON.parse(text);
  throw toApiError(status, text, retryAfter);
}

/** `AbortSignal.timeout` cannot be stopped: it would fire after each response, too, of which a gateway gets hundreds a second. */
function startTimeout(ms: number) {
  const controller = new AbortController();
  const reason = 'The operation was aborted due to timeout';
  const timer = setTimeout(() => controller.abort(new DOMException(reason, 'TimeoutError')), ms);
  return { signal: controller.signal, stop: () => clearTimeout(timer) };
}

interface LooseInput {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

async function exchange(doFetch: NonNullable<ClientSettings['fetch']>, url: string, init: FetchInit) {
  try {
    const response = await doFetch(url, init);
    const { ok, status, headers } = response;
    const isFile = headers.get('content-disposition')?.startsWith('attachment') === true;
    return { ok, status, text: await response.text(), isFile, retryAfter: headers.get('retry-after') };
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
    throw new ApiError(0, isTimeout ? 'TIMEOUT' : 'NETWORK', error instanceof Error ? error.message : String(error));
  }
}

function toApiError(status: number, text: string, retryAfter: string | null): ApiError {
  const body = parseJson(text);
  if (!isErrorBody(body)) return new ApiError(status, 'INTERNAL', `HTTP ${status}`);
  // Our API sends seconds. A proxy in between may send a date, which is ignored.
  const seconds = /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined;
  return new ApiError(status, body.code, body.message, body, seconds);
}

/** `errorBodySchema` by hand, with any code: with schema and catalogue, each page that calls the API would load both and zod. */
function isErrorBody(value: unknown): value is ErrorBody {
  if (!isObject(value)) return false;
  const { statusCode, error, code, message, details = [] } = value;
  return (
    Number.isInteger(statusCode) &&
    typeof error === 'string' &&
    typeof code === 'string' &&
    CODE_PATTERN.test(code) &&
    typeof message === 'string' &&
    Array.isArray(details) &&
    details.every(
      (detail) => isObject(detail) && typeof detail['path'] === 'string' && typeof detail['message'] === 'string',
    )
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // A proxy in between may return HTML; the caller then reports the status alone.
  }
}

/** Fills `{name}` placeholders. */
export function toPath(url: string, params: Record<string, unknown> = {}): string {
  return url.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(params[key])));
}

/** Arrays become repeated keys (`city=a&city=b`); undefined values are left out. */
export function toQuery(query: Record<string, unknown> = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query))
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined && item !== null) search.append(key, String(item));
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

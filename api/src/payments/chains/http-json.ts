/** Interfaces of paths and queries instead of methods: JSON by GET and POST, as java-tron and the indexers of TON have them. */
import type { z } from 'zod';
import { parseResponse, type HttpRequest, type HttpResponse, type HttpTransport } from './http-transport.ts';
import { explainText, findOuterError, isQuotaMessage, isSuccess, isTooLargeStatus, SourceRefusal } from './refusals.ts';
import type { SourceService } from './source-url.ts';

/** Of version 2 of toncenter in C++: none of its lite servers can do what was asked for. */
export const NO_SERVER = 542;

interface HttpJsonOptions {
  /** For sources whose numbers must not become floats. */
  parse?: (text: string) => unknown;
}

interface CallOptions {
  service?: SourceService;
  /** Only for calls that take longer than others. */
  timeoutMs?: number;
}

/** The values of one name are repeated: `account=A&account=B`. */
type Query = Record<string, string | number | readonly string[]>;

export interface HttpJson {
  readonly name: string;
  readonly transport: HttpTransport;
  /**
   * @param path below the path of the URL, beginning with a slash
   * @throws SourceRefusal if the source refuses the call; `isTooLargeStatus` of its code: the caller can split it
   * @throws ChainUnavailable if it does not respond as it should
   */
  get<T>(path: string, query: Query, schema: z.ZodType<T>, signal: AbortSignal, options?: CallOptions): Promise<T>;
  /** @throws as `get` */
  post<T>(path: string, body: object, schema: z.ZodType<T>, signal: AbortSignal, options?: CallOptions): Promise<T>;
}

export function speakHttpJson(transport: HttpTransport, { parse = JSON.parse }: HttpJsonOptions = {}): HttpJson {
  const call = <T>(request: HttpRequest, schema: z.ZodType<T>, signal: AbortSignal) =>
    transport.exchange(request, signal, (response) =>
      parseResponse(transport.name, request.path, schema, readValue(transport, parse, request.path, response)),
    );
  return {
    name: transport.name,
    transport,
    get: (path, query, schema, signal, options) =>
      call({ method: 'GET', path, query: toSearchParams(query), ...options }, schema, signal),
    post: (path, body, schema, signal, options) =>
      call({ method: 'POST', path, body: JSON.stringify(body), ...options }, schema, signal),
  };
}

function readValue(
  transport: HttpTransport,
  parse: (text: string) => unknown,
  path: string,
  { status, text }: HttpResponse,
): unknown {
  const { name } = transport;
  if (isTooLargeStatus(status)) throw new SourceRefusal(name, status, `${path}: the request is too large`);
  if (status >= 502 && status !== NO_SERVER) throw explainText(name, path, status, text);
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    throw explainText(name, path, status, text);
  }
  const error = findError(status, value);
  if (!error) return value;
  if (isQuotaMessage(error.message)) throw transport.throttled(error.message);
  throw new SourceRefusal(name, error.code, `${path}: ${transport.quote(error.message)}`);
}

/** java-tron puts errors into responses of status 200, and so does version 2 of toncenter. */
function findError(status: number, value: unknown): { code: number; message: string } | undefined {
  const outer = findOuterError(value);
  if (outer !== undefined) return { code: status, message: outer };
  const { ok, code, error, result } = (value ?? {}) as Record<'ok' | 'code' | 'error' | 'result', unknown>;
  if (ok !== false && isSuccess(status)) return undefined;
  return {
    code: typeof code === 'number' ? code : status,
    message: [error, result].find((text) => typeof text === 'string') ?? `HTTP ${status}`,
  };
}

function toSearchParams(query: Query): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, values] of Object.entries(query)) {
    for (const value of [values].flat()) parameters.append(name, String(value));
  }
  return parameters;
}

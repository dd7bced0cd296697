/** JSON-RPC over HTTP. */
import { z } from 'zod';
import { createHttpTransport, parseResponse, type HttpTransport, type TransportOptions } from './http-transport.ts';
import { explainText, findOuterError, isQuotaMessage, isTooLargeStatus, SourceRefusal } from './refusals.ts';
import type { SourceService } from './source-url.ts';

interface CallOptions {
  /** For nodes whose numbers must not become floats. */
  parse?: ((text: string) => unknown) | undefined;
  /** Below the path of the URL. */
  path?: string | undefined;
  service?: SourceService | undefined;
}

interface JsonRpcOptions extends TransportOptions, CallOptions {}

type CallArguments<T> = [
  method: string,
  params: readonly unknown[],
  schema: z.ZodType<T>,
  signal: AbortSignal,
  timeoutMs?: number,
];

export interface JsonRpc {
  readonly name: string;
  readonly transport: HttpTransport;
  /**
   * @param args timeoutMs: only for methods that take longer than others
   * @throws RpcError if the node refuses the call
   * @throws ChainUnavailable if it does not respond as it should
   */
  call<T>(...args: CallArguments<T>): Promise<T>;
}

export class RpcError extends SourceRefusal {
  override readonly name = 'RpcError';
}

const responseSchema = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).nullish(),
});

export function createJsonRpc(options: JsonRpcOptions): JsonRpc {
  return speakJsonRpc(createHttpTransport(options), options);
}

/** Beside other calls to the same source. */
export function speakJsonRpc(
  transport: HttpTransport,
  { parse = JSON.parse, path = '', service }: CallOptions = {},
): JsonRpc {
  const { name } = transport;
  let lastId = 0;

  function readResult<T>(method: string, schema: z.ZodType<T>, status: number, text: string): T {
    if (isTooLargeStatus(status)) throw new RpcError(name, status, 'the request is too large');
    let response: unknown;
    // Bitcoin's nodes report errors of the call with HTTP 500 and 404, so the body decides.
    try {
      response = parse(text);
    } catch {
      throw explainText(name, method, status, text);
    }
    const outer = findOuterError(response);
    const { error, result } =
      outer === undefined
        ? parseResponse(name, method, responseSchema, response)
        : { error: { code: status, message: outer } };
    if (!error) return parseResponse(name, method, schema, result);
    if (isQuotaMessage(error.message)) throw transport.throttled(error.message);
    throw new RpcError(name, error.code, transport.quote(error.message));
  }

  return {
    name,
    transport,
    call: (...[method, params, schema, signal, timeoutMs]) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: (lastId += 1), method, params });
      return transport.exchange({ method: 'POST', path, body, service, timeoutMs }, signal, ({ status, text }) =>
        readResult(method, schema, status, text),
      );
    },
  };
}

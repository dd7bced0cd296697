/** A JSON-RPC node for tests: responds from functions, or misbehaves. */
import type http from 'node:http';
import { readBody, serveLocally } from './local-server.ts';

export type Methods = Record<string, (...params: never[]) => unknown>;

export interface FakeNode {
  url: string;
  calls: string[];
  /** Replaces the response to every request. */
  respond: ((request: http.IncomingMessage, response: http.ServerResponse) => void) | undefined;
}

/** Thrown by a method: the node refuses the call. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** For use outside of tests: it runs until the process ends. */
export async function listenAsNode(methods: Methods): Promise<{ node: FakeNode; close: () => void }> {
  const node: FakeNode = { url: '', calls: [], respond: undefined };
  const answerBody = (body: string): string => {
    const { method, params } = JSON.parse(body) as { method: string; params: never[] };
    node.calls.push(method);
    return answer(methods, method, params);
  };
  const { url, close } = await serveLocally((request, response) => {
    if (node.respond) return node.respond(request, response);
    readBody(request).then(
      (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(answerBody(body)),
      () => response.destroy(),
    );
  });
  node.url = url;
  return { node, close: () => void close() };
}

function answer(methods: Methods, method: string, params: never[]): string {
  try {
    const run = methods[method];
    if (!run) throw new Refusal(-32601, `the method ${method} does not exist`);
    return JSON.stringify({ jsonrpc: '2.0', id: 1, result: run(...params) });
  } catch (error) {
    const { code = -32000, message } = error as Partial<Refusal>;
    return JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } });
  }
}

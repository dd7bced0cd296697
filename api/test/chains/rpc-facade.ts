/** A server in front of a node, which answers some calls of JSON-RPC itself. */
import { type LocalServer, serveBodies } from './local-server.ts';

interface Call {
  method: string;
  params: unknown[];
}

/** A result, or the call that the node answers. */
type Answer = { result: unknown } | Call;

/** @param target the node, with its password */
export function startRpcFacade(target: string, answer: (call: Call) => Answer | Promise<Answer>): Promise<LocalServer> {
  const forward = async (body: string): Promise<string> => {
    const call = JSON.parse(body) as Call;
    const answered = await answer(call);
    if ('result' in answered) return JSON.stringify({ jsonrpc: '2.0', id: 1, ...answered });
    const { origin, headers } = readTarget(target);
    const response = await fetch(origin, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ ...call, ...answered }),
    });
    return response.text();
  };
  return serveBodies((_request, body, response) => {
    forward(body).then(
      (text) => response.writeHead(200, { 'content-type': 'application/json' }).end(text),
      () => response.destroy(),
    );
  });
}

/** @param url of a node, with its password */
export function readTarget(url: string): { origin: string; headers: Record<string, string> } {
  const { username, password, origin } = new URL(url);
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return { origin, headers: username === '' ? {} : { authorization } };
}

/** One source of TON for tests: serves the chain in memory as toncenter does, in both versions of its interface. */
import type http from 'node:http';
import { serveBodies } from '../local-server.ts';
import { type Behaviour, honest } from './behaviour.ts';
import { Refused } from './refused.ts';
import type { TonChain } from './ton-chain.ts';
import { answersOfV2 } from './v2.ts';
import { answersOfV3 } from './v3.ts';

export interface Facade {
  /** With version 3; a v2 URL is the same with `v2`. */
  url: string;
  urlOfV2: string;
  /** Changed by a test at any time. */
  behaviour: Behaviour;
  /** Paths with their queries. */
  calls: string[];
  /** Headers of the last request. */
  headers: http.IncomingHttpHeaders;
  close: () => Promise<void>;
}

export type Answers = Record<string, (query: URLSearchParams, body: unknown) => unknown>;

export async function startFacade(chain: TonChain, changes: Partial<Behaviour> = {}): Promise<Facade> {
  const { url, close } = await serveBodies((request, body, response) => {
    facade.headers = request.headers;
    facade.calls.push(request.url!);
    void respond(chain, facade.behaviour, request.url!, body, response);
  });
  const facade: Facade = {
    url: `${url}/api/v3`,
    urlOfV2: `${url}/api/v2`,
    behaviour: { ...honest(), ...changes },
    calls: [],
    headers: {},
    close,
  };
  return facade;
}

async function respond(
  chain: TonChain,
  behaviour: Behaviour,
  url: string,
  body: string,
  response: http.ServerResponse,
): Promise<void> {
  const send = (status: number, value: unknown) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (behaviour.page === 'CLOSED') return void response.destroy();
  if (behaviour.page === 'HTML') return void response.writeHead(502).end('<html><body>502 Bad Gateway</body></html>');
  if (behaviour.page === 'EMPTY') return void response.writeHead(200).end();
  if (behaviour.refusal) return send(behaviour.refusal.status, behaviour.refusal.body);
  const { pathname, searchParams } = new URL(url, 'http://facade');
  const [, version, path] = /^\/api\/(v[23])(\/.+)$/.exec(pathname) ?? [];
  const isV2 = version === 'v2';
  const answer = path && (isV2 ? answersOfV2 : answersOfV3)(chain, behaviour)[path];
  if (!answer || behaviour.disabled.has(path)) return void response.writeHead(404).end('Cannot GET the path');
  try {
    const result = await answer(searchParams, body === '' ? undefined : JSON.parse(body));
    send(200, isV2 ? { ok: true, result } : result);
  } catch (error) {
    const { status = 500, message } = error as Partial<Refused>;
    send(status, isV2 ? { ok: false, error: message, code: status } : { error: message, code: status });
  }
}

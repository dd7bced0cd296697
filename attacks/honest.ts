/** Customers who go on with what they do during an attack, each from a network of its own. */
import { signIn } from '@cellhop/contract/auth';
import { listConnections } from '@cellhop/contract/connections';
import { getProxyFilter, searchProxies } from '@cellhop/contract/proxies';
import { getProfile } from '@cellhop/contract/users';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

const CUSTOMERS = 8;
const PAUSE_MS = 100;
/** What the web app waits for. */
const TIMEOUT_MS = 10_000;

export interface Observation {
  what: string;
  ms: number;
  /** Undefined: no answer. */
  status: number | undefined;
}

export class Customers {
  readonly observations: Observation[] = [];
  #isOn = true;
  readonly #running: Promise<void>[];

  constructor(
    private readonly port: number,
    private readonly credentials: readonly { email: string; password: string }[],
  ) {
    this.#running = Array.from({ length: CUSTOMERS }, (_, index) => this.#live(index));
  }

  async stop(): Promise<void> {
    this.#isOn = false;
    await Promise.all(this.#running);
  }

  /** Signs in, looks at the purchase page and at the list, again and again. */
  async #live(index: number): Promise<void> {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 2, localAddress: `127.200.${index}.1` });
    while (this.#isOn) {
      const { data } = (await this.#call(agent, 'POST', signIn.url, undefined, this.credentials[index % 2])) as {
        data?: { accessToken: string };
      };
      for (const { url } of [getProfile, getProxyFilter, searchProxies, listConnections, getProfile])
        if (this.#isOn && data) {
          await pause(PAUSE_MS);
          await this.#call(agent, 'GET', url, data.accessToken);
        }
      await pause(PAUSE_MS);
    }
    agent.destroy();
  }

  async #call(agent: http.Agent, method: string, path: string, token?: string, body?: unknown): Promise<object> {
    const startedAt = performance.now();
    const answer = await send({ agent, method, path, port: this.port, token, body }).catch(() => undefined);
    this.observations.push({ what: `${method} ${path}`, ms: performance.now() - startedAt, status: answer?.status });
    return answer?.status === 200 ? (JSON.parse(answer.body.toString()) as object) : {};
  }
}

interface Call {
  agent: http.Agent;
  method: string;
  path: string;
  port: number;
  token: string | undefined;
  body: unknown;
}

async function send({ token, body, ...options }: Call): Promise<{ status: number; body: Buffer }> {
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const request = http.request({ host: '127.0.0.1', headers, signal: AbortSignal.timeout(TIMEOUT_MS), ...options });
  const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject);
  });
  request.end(body === undefined ? undefined : JSON.stringify(body));
  const response = await answered;
  return { status: response.statusCode ?? 0, body: await buffer(response) };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

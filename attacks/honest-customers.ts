/**
 * Customers who use the API during an attack, at several distances, each from a separate network and with a known browser; and
 * newcomers, who sign in from an unknown browser.
 */
import { DEVICE_TOKEN_HEADER } from '@cellhop/contract/auth.values';
import { signIn, type SignInResult } from '@cellhop/contract/auth';
import { listConnections } from '@cellhop/contract/connections';
import { getProxyFilter, searchProxies } from '@cellhop/contract/proxies';
import { getProfile } from '@cellhop/contract/users';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type DistantPort, openDistantPort, ROUND_TRIPS_MS } from '../gateway/test/distance.ts';

const CUSTOMERS = 8;
const PAUSE_MS = 100;
/** The request timeout of the web app. */
const TIMEOUT_MS = 10_000;

export interface Observation {
  what: string;
  ms: number;
  /** Undefined without a response. */
  status: number | undefined;
  /** The customer's distance. */
  roundTripMs: number;
}

interface Credentials {
  email: string;
  password: string;
}

export class Customers {
  readonly observations: Observation[] = [];
  /** Sign-ins of newcomers: they share the queue with the attacker, and may get 429. */
  readonly newcomers: Observation[] = [];
  #isRunning = true;
  readonly #running: Promise<void>[];

  private constructor(
    private readonly port: number,
    private readonly distantPorts: readonly DistantPort[],
    customers: readonly Customer[],
    newcomer: Credentials,
  ) {
    this.#running = [...customers.map((customer) => this.#runCustomer(customer)), this.#runNewcomer(newcomer)];
  }

  /** Resolves when all customers have signed in. */
  static async start(apiPort: number, credentials: readonly Credentials[]): Promise<Customers> {
    const distantPorts = await Promise.all(ROUND_TRIPS_MS.map((roundTripMs) => openDistantPort(apiPort, roundTripMs)));
    const customers = await Promise.all(
      Array.from({ length: CUSTOMERS }, async (_, index) => {
        const distance = index % ROUND_TRIPS_MS.length;
        const { port } = distantPorts[distance]!;
        const agent = new http.Agent({ keepAlive: true, maxSockets: 2, localAddress: `127.200.${index}.1` });
        const body = credentials[index % credentials.length]!;
        const { status, body: response } = await send({ agent, method: 'POST', path: signIn.url, port, body });
        if (status !== 200) throw new Error(`a customer cannot sign in: ${status}`);
        const { deviceToken } = (JSON.parse(response.toString()) as { data: SignInResult }).data;
        return { agent, credentials: body, deviceToken, port, roundTripMs: ROUND_TRIPS_MS[distance]! };
      }),
    );
    return new Customers(apiPort, distantPorts, customers, credentials[0]!);
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#running);
    for (const distant of this.distantPorts) distant.stop();
  }

  /** Repeatedly signs in and requests the purchase page and the list of connections. */
  async #runCustomer({ agent, credentials, deviceToken, port, roundTripMs }: Customer): Promise<void> {
    const observe = (call: Pick<Call, 'method' | 'path' | 'token' | 'deviceToken' | 'body'>) =>
      this.#observe(this.observations, { agent, port, ...call }, roundTripMs);
    while (this.#isRunning) {
      const signedIn = await observe({ method: 'POST', path: signIn.url, deviceToken, body: credentials });
      const { data } = signedIn as { data?: SignInResult };
      for (const { url } of [getProfile, getProxyFilter, searchProxies, listConnections, getProfile])
        if (this.#isRunning && data) {
          await pause(PAUSE_MS);
          await observe({ method: 'GET', path: url, token: data.accessToken });
        }
      await pause(PAUSE_MS);
    }
    agent.destroy();
  }

  async #runNewcomer(body: Credentials): Promise<void> {
    const agent = new http.Agent({ keepAlive: true, localAddress: '127.201.0.1' });
    while (this.#isRunning) {
      await this.#observe(this.newcomers, { agent, method: 'POST', path: signIn.url, port: this.port, body }, 0);
      await pause(5 * PAUSE_MS);
    }
    agent.destroy();
  }

  async #observe(observations: Observation[], call: Call, roundTripMs: number): Promise<object> {
    const startedAt = performance.now();
    const response = await send(call).catch(() => undefined);
    const what = `${call.method} ${call.path}`;
    observations.push({ what, ms: performance.now() - startedAt, status: response?.status, roundTripMs });
    return response?.status === 200 ? (JSON.parse(response.body.toString()) as object) : {};
  }
}

interface Customer {
  agent: http.Agent;
  credentials: Credentials;
  deviceToken: string;
  port: number;
  roundTripMs: number;
}

interface Call {
  agent: http.Agent;
  method: string;
  path: string;
  port: number;
  token?: string;
  deviceToken?: string;
  body?: unknown;
}

async function send({ token, deviceToken, body, ...options }: Call): Promise<{ status: number; body: Buffer }> {
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(deviceToken !== undefined && { [DEVICE_TOKEN_HEADER]: deviceToken }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const request = http.request({ host: '127.0.0.1', headers, signal: AbortSignal.timeout(TIMEOUT_MS), ...options });
  const responded = new Promise<http.IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject);
  });
  request.end(body === undefined ? undefined : JSON.stringify(body));
  const response = await responded;
  return { status: response.statusCode ?? 0, body: await buffer(response) };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

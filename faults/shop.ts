/** What customers do during a fault run, as they would over the internet, and what they can know about it afterwards. */
import { signIn } from '@cellhop/contract/auth';
import { ApiError, createClient, type Call } from '@cellhop/contract/client';
import { connect, disconnect, listConnections, type Connection } from '@cellhop/contract/connections';
import { payInvoice } from '@cellhop/contract/development';
import { createInvoice, listInvoices, type InvoiceStatus } from '@cellhop/contract/invoices';
import { searchProxies } from '@cellhop/contract/proxies';
import { getProfile } from '@cellhop/contract/users';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { download, type Outcome } from './download.ts';
import type { Random } from '../tools/random.ts';

const DOLLAR = 1_000_000;
const MB = 1_048_576;
const CREDIT_LIMIT_MS = 60_000;
const CREDENTIALS = { email: 'user@example.com', password: 'demo-password' };

/** What passed on a connection, by the customer's own counters. */
export interface Passed {
  bytes: number;
  /** Tunnels that broke: what a gateway had counted and not yet delivered is lost with them. */
  brokenTunnels: number;
}

interface Tunnel {
  readonly connectionId: string;
  readonly gateway: number;
  /** Which of the gateway's processes carries it. */
  readonly generation: number;
  readonly outcome: Outcome;
}

export interface ShopOptions {
  /** Of all APIs; each call goes to one of them. */
  readonly urls: readonly string[];
  /** After this a call that has no answer is a complaint. */
  readonly requestLimitMs: number;
  /** Of all gateways; each connection uses them at once. */
  readonly gatewayPorts: readonly number[];
  /** How often each of them was killed so far. */
  readonly gatewayKills: (gateway: number) => number;
  readonly random: Random;
  /** When it answers false, everything is brought to an end. */
  readonly isOpen: () => boolean;
}

export class Shop {
  readonly counts = { bought: 0, ended: 0, downloads: 0, refused: 0, paid: 0 };
  /** What no customer should have to bear, whatever is broken. */
  readonly complaints: string[] = [];
  /** What the customer had at first and has paid since. */
  moneyInMicros = 0;
  readonly #tunnels: Tunnel[] = [];
  readonly #paidInvoices: string[] = [];
  readonly #options: ShopOptions;
  #calls: Call[];

  constructor(options: ShopOptions) {
    this.#options = options;
    this.#calls = this.#createClients();
  }

  async signIn(): Promise<void> {
    const { data } = (await this.#patiently(() => this.#call(signIn, { body: CREDENTIALS })))!;
    this.#calls = this.#createClients({ authorization: `Bearer ${data.accessToken}` });
    if (this.moneyInMicros === 0) this.moneyInMicros = await this.#balanceMicros();
  }

  /** Buys, downloads in several tunnels, ends some connections, and repeats whatever got no answer. */
  async shopOn(): Promise<void> {
    const { random, isOpen } = this.#options;
    while (isOpen()) {
      const connection = await this.#buy();
      if (!connection) continue;
      const rounds = 1 + random.below(4);
      for (let round = 0; round < rounds && isOpen(); round += 1) {
        const sizes = Array.from({ length: 1 + random.below(4) }, () => 1 + random.below(12));
        await Promise.all(sizes.map((megabytes, index) => this.#transfer(connection, megabytes, index)));
      }
      if (random.below(3) === 0) continue;
      const answer = await this.#patiently(() => this.#call(disconnect, { params: { id: connection.id } }));
      if (answer) this.counts.ended += 1;
    }
  }

  /** Tops up all the time, so that crediting is killed in the middle too. */
  async payOn(): Promise<void> {
    while (this.#options.isOpen()) {
      const amount = 5 + this.#options.random.below(10);
      const body = { currency: 'USDT_TRC20', amount } as const;
      const invoice = await this.#patiently(() => this.#call(createInvoice, { body }));
      if (!invoice) continue;
      // A repeat pays what is still due, which is nothing once the first try has arrived.
      await this.#patiently(() => this.#call(payInvoice, { params: { id: invoice.data.id }, body: {} }));
      this.moneyInMicros += amount * DOLLAR;
      this.#paidInvoices.push(invoice.data.id);
      this.counts.paid += 1;
      await pause(500);
    }
  }

  /**
   * Every payment reaches the balance, every connection ends, every bill is made.
   * @returns complaints
   */
  async close(): Promise<string[]> {
    await this.signIn(); // The first token may be old by now.
    const missing = await this.#untilCredited();
    for (const { id } of await this.#list())
      await this.#patiently(() => this.#call(disconnect, { params: { id } }).catch(ignoreEnded));
    return missing;
  }

  /** What is left and what was charged, as the customer is shown it. */
  async moneyOutMicros(): Promise<number> {
    const charged = (await this.#list()).reduce((sum, { paidFor }) => sum + Math.round(paidFor * DOLLAR), 0);
    return charged + (await this.#balanceMicros());
  }

  /** What passed on a connection in all its tunnels. */
  passed(connectionId: string): Passed {
    const outcomes = this.#tunnels
      .filter((tunnel) => tunnel.connectionId === connectionId)
      .map(({ outcome }) => outcome);
    return {
      bytes: outcomes.reduce((sum, { bytes }) => sum + bytes, 0),
      brokenTunnels: outcomes.filter(({ isComplete }) => !isComplete).length,
    };
  }

  /** Bytes that passed through one process of a gateway so far, by connection. */
  passedThrough(gateway: number, generation: number): Map<string, number> {
    const passed = new Map<string, number>();
    for (const tunnel of this.#tunnels)
      if (tunnel.gateway === gateway && tunnel.generation === generation)
        passed.set(tunnel.connectionId, (passed.get(tunnel.connectionId) ?? 0) + tunnel.outcome.bytes);
    return passed;
  }

  #createClients(headers: Record<string, string> = {}): Call[] {
    const { urls, requestLimitMs: timeoutMs } = this.#options;
    return urls.map((baseUrl) => createClient({ baseUrl, headers: () => headers, timeoutMs }));
  }

  /** A repeat may reach another API than the first try. */
  get #call(): Call {
    return this.#options.random.pick(this.#calls);
  }

  async #buy(): Promise<Connection | undefined> {
    const proxies = await this.#patiently(() => this.#call(searchProxies, { query: {} }));
    if (!proxies || proxies.data.length === 0) return undefined;
    const { id, price } = this.#options.random.pick(proxies.data);
    // One key for all tries: a purchase whose answer was lost is not made twice.
    const headers = { 'idempotency-key': randomUUID() };
    const answer = await this.#patiently(() => this.#call(connect, { body: { id, price } }, { headers }));
    if (answer) this.counts.bought += 1;
    return answer?.data;
  }

  async #transfer({ id, host, username, password }: Connection, megabytes: number, index: number): Promise<void> {
    const { gatewayPorts, gatewayKills, urls, random } = this.#options;
    const gateway = index % gatewayPorts.length;
    const outcome: Outcome = { bytes: 0, isComplete: false };
    this.#tunnels.push({ connectionId: id, gateway, generation: gatewayKills(gateway), outcome });
    const target = `${random.pick(urls)}/dev/download/${megabytes}`;
    const bodyBytes = megabytes * MB;
    await download({ host, port: gatewayPorts[gateway]!, username, password: password!, target, bodyBytes }, outcome);
    this.counts.downloads += 1;
  }

  /** @returns what did not arrive in time */
  async #untilCredited(): Promise<string[]> {
    const deadline = performance.now() + CREDIT_LIMIT_MS;
    for (;;) {
      const missing = new Set(this.#paidInvoices);
      for (const { id, status } of await this.#listInvoices()) if (status === 'PAID') missing.delete(id);
      if (missing.size === 0) return [];
      if (performance.now() > deadline)
        return [...missing].map((id) => `the payment of invoice ${id} was not credited`);
      await pause(200);
    }
  }

  async #listInvoices(): Promise<{ id: string; status: InvoiceStatus }[]> {
    return this.#everyPage((page) => this.#call(listInvoices, { query: { size: 100, page } }));
  }

  async #list(): Promise<Connection[]> {
    return this.#everyPage((page) => this.#call(listConnections, { query: { size: 100, page } }));
  }

  async #everyPage<Item>(read: (page: number) => Promise<{ data: Item[]; totalPages: number }>): Promise<Item[]> {
    const all: Item[] = [];
    for (let page = 1; ; page += 1) {
      const { data, totalPages } = (await this.#patiently(() => read(page)))!;
      all.push(...data);
      if (page >= totalPages) return all;
    }
  }

  async #balanceMicros(): Promise<number> {
    const { data } = (await this.#patiently(() => this.#call(getProfile, {})))!;
    return Math.round(data.balance * DOLLAR);
  }

  /** Repeats while the answer is lost or the API is away; an answer with a reason ends it. */
  async #patiently<T>(work: () => Promise<T>): Promise<T | undefined> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const status = statusOf(error);
        if (error instanceof ApiError && error.code === 'TIMEOUT')
          this.complaints.push(`a request had no answer for ${this.#options.requestLimitMs / 1000} s`);
        await pause(100);
        if (status < 400 || status >= 500) continue;
        this.counts.refused += 1;
        return undefined;
      }
    }
  }
}

const statusOf = (error: unknown) => (error instanceof Error && 'status' in error ? Number(error.status) : 500);

/** What has ended already is as it should be. */
function ignoreEnded(error: unknown): void {
  const status = statusOf(error);
  if (status < 400 || status >= 500) throw error;
}

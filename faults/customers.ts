/** Simulates customers during a fault run through the public interfaces, and collects what they observe. */
import { signIn } from '@cellhop/contract/auth';
import { ApiError, createClient, type Call } from '@cellhop/contract/client';
import { connect, disconnect, listConnections, type Connection } from '@cellhop/contract/connections';
import { payInvoice } from '@cellhop/contract/development';
import { createInvoice, listInvoices } from '@cellhop/contract/invoices';
import type { InvoiceStatus } from '@cellhop/contract/invoices.values';
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

/** Settings for a shop where one account makes all purchases, as here. */
export const ONE_BUYER = {
  OPEN_CONNECTIONS_MAX: '1000000',
  PURCHASES_PER_HOUR: '1000000',
  UNUSED_RETURNS_PER_HOUR: '1000000',
};

/** The traffic of a connection, as counted by the customer. */
export interface Passed {
  bytes: number;
  /** Broken tunnels: bytes that the gateway had counted but not delivered are lost with them. */
  brokenTunnels: number;
}

interface Tunnel {
  readonly connectionId: string;
  readonly gateway: number;
  /** The number of the gateway's process that carries it. */
  readonly generation: number;
  readonly outcome: Outcome;
}

export interface CustomersOptions {
  /** The URLs of all APIs; each call uses one of them. */
  readonly urls: readonly string[];
  /** A call without a response in this time is a violation. */
  readonly requestLimitMs: number;
  /** The ports of each gateway, at several distances; each connection uses all gateways concurrently. */
  readonly gatewayPorts: readonly (readonly number[])[];
  /** How often a gateway was killed so far. */
  readonly gatewayKills: (gateway: number) => number;
  readonly random: Random;
  /** When it returns false, all activities end. */
  readonly isOpen: () => boolean;
}

export class Customers {
  readonly counts = { bought: 0, ended: 0, downloads: 0, refused: 0, paid: 0 };
  /** Failures that must not happen under any injected fault. */
  readonly violations: string[] = [];
  /** The initial balance and all payments. */
  moneyInMicros = 0;
  readonly #tunnels: Tunnel[] = [];
  readonly #paidInvoices: string[] = [];
  readonly #options: CustomersOptions;
  #calls: Call[];

  constructor(options: CustomersOptions) {
    this.#options = options;
    this.#calls = this.#createClients();
  }

  async signIn(): Promise<void> {
    const { data } = (await this.#retrying(() => this.#call(signIn, { body: CREDENTIALS })))!;
    this.#calls = this.#createClients({ authorization: `Bearer ${data.accessToken}` });
    if (this.moneyInMicros === 0) this.moneyInMicros = await this.#balanceMicros();
  }

  /** Buys, downloads in several tunnels, ends some connections, and retries calls without a response. */
  async runCustomer(): Promise<void> {
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
      const response = await this.#retrying(() => this.#call(disconnect, { params: { id: connection.id } }));
      if (response) this.counts.ended += 1;
    }
  }

  /** Tops up continuously, so that kills also interrupt the crediting of payments. */
  async runTopUps(): Promise<void> {
    while (this.#options.isOpen()) {
      const amount = 5 + this.#options.random.below(10);
      const body = { currency: 'USDT_TRC20', amount } as const;
      const invoice = await this.#retrying(() => this.#call(createInvoice, { body }));
      if (!invoice) continue;
      // A retry pays the amount that is still due, which is nothing if the first attempt was processed.
      await this.#retrying(() => this.#call(payInvoice, { params: { id: invoice.data.id }, body: {} }));
      this.moneyInMicros += amount * DOLLAR;
      this.#paidInvoices.push(invoice.data.id);
      this.counts.paid += 1;
      await pause(500);
    }
  }

  /**
   * Waits until all payments are credited, and ends all connections.
   * @returns violations
   */
  async close(): Promise<string[]> {
    await this.signIn(); // The first token may have expired.
    const missing = await this.#untilCredited();
    for (const { id } of await this.#list())
      await this.#retrying(() => this.#call(disconnect, { params: { id } }).catch(ignoreEnded));
    return missing;
  }

  /** The balance and all charges, as the customer sees them. */
  async moneyOutMicros(): Promise<number> {
    const charged = (await this.#list()).reduce((sum, { paidFor }) => sum + Math.round(paidFor * DOLLAR), 0);
    return charged + (await this.#balanceMicros());
  }

  /** The traffic of a connection in all of its tunnels. */
  passed(connectionId: string): Passed {
    const outcomes = this.#tunnels
      .filter((tunnel) => tunnel.connectionId === connectionId)
      .map(({ outcome }) => outcome);
    return {
      bytes: outcomes.reduce((sum, { bytes }) => sum + bytes, 0),
      brokenTunnels: outcomes.filter(({ isComplete }) => !isComplete).length,
    };
  }

  /** The traffic through one process of a gateway so far, by connection. */
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

  /** A retry may use another API than the first attempt. */
  get #call(): Call {
    return this.#options.random.pick(this.#calls);
  }

  async #buy(): Promise<Connection | undefined> {
    const proxies = await this.#retrying(() => this.#call(searchProxies, { query: {} }));
    if (!proxies || proxies.data.length === 0) return undefined;
    const { id, price } = this.#options.random.pick(proxies.data);
    // One key for all attempts: a purchase whose response was lost is not repeated.
    const headers = { 'idempotency-key': randomUUID() };
    const response = await this.#retrying(() => this.#call(connect, { body: { id, price } }, { headers }));
    if (response) this.counts.bought += 1;
    return response?.data;
  }

  async #transfer({ id, host, username, password }: Connection, megabytes: number, index: number): Promise<void> {
    const { gatewayPorts, gatewayKills, urls, random } = this.#options;
    const gateway = index % gatewayPorts.length;
    const outcome: Outcome = { bytes: 0, isComplete: false };
    this.#tunnels.push({ connectionId: id, gateway, generation: gatewayKills(gateway), outcome });
    const target = `${random.pick(urls)}/dev/download/${megabytes}`;
    const bodyBytes = megabytes * MB;
    const port = random.pick(gatewayPorts[gateway]!);
    await download({ host, port, username, password: password!, target, bodyBytes }, outcome);
    this.counts.downloads += 1;
  }

  /** @returns a violation for each payment that was not credited in time */
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
      const { data, totalPages } = (await this.#retrying(() => read(page)))!;
      all.push(...data);
      if (page >= totalPages) return all;
    }
  }

  async #balanceMicros(): Promise<number> {
    const { data } = (await this.#retrying(() => this.#call(getProfile, {})))!;
    return Math.round(data.balance * DOLLAR);
  }

  /** Retries while the API is unavailable or a response was lost. @returns undefined if the API refuses the call (4xx) */
  async #retrying<T>(work: () => Promise<T>): Promise<T | undefined> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const status = toStatus(error);
        if (error instanceof ApiError && error.code === 'TIMEOUT')
          this.violations.push(`a request had no response for ${this.#options.requestLimitMs / 1000} s`);
        await pause(100);
        if (status < 400 || status >= 500) continue;
        this.counts.refused += 1;
        return undefined;
      }
    }
  }
}

const toStatus = (error: unknown) => (error instanceof Error && 'status' in error ? Number(error.status) : 500);

/** The connection may have ended already. */
function ignoreEnded(error: unknown): void {
  const status = toStatus(error);
  if (status < 400 || status >= 500) throw error;
}

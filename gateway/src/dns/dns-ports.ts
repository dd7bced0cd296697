import { type Network, parseNetwork } from '@cellhop/contract/network';
import { inBackground, settlesWithin } from '../background.ts';
import type { Connection } from '../connections/connection.ts';
import type { EndReason } from '../flows/flow.ts';
import { Answers, type DnsContext } from './answers.ts';
import { DnsPort } from './dns-port.ts';

/** Messages of listed clients that wait for the control plane, per port. */
const WAITING_MAX = 16;

/** A port of a connection that lists clients, whether it is open in this run or not. */
interface ListedPort {
  readonly port: number;
  readonly allowList: readonly string[];
}

interface ServedPort {
  readonly port: DnsPort;
  state: 'opening' | 'open' | 'failed';
  /** Undefined unless the connection is open in this run. */
  owner: { readonly connection: Connection; readonly answers: Answers } | undefined;
  /** Clients whose questions open the connection in this run. */
  listed: readonly Network[];
  waiting: number;
  refusedUntil: number;
}

/** The DNS ports of this node: open while their connection is open in this run, or lists clients that need no password. */
export class DnsPorts {
  readonly #byNumber = new Map<number, ServedPort>();
  #isStopped = false;

  /** Opens the connection that has a port, for a client that its allow-list contains. The connections set it; until then it refuses. */
  authorize: (port: number, client: string) => Promise<unknown> = () => Promise.reject(new Error('not connected yet'));

  constructor(private readonly context: DnsContext) {}

  get open(): number {
    return [...this.#byNumber.values()].filter(({ state }) => state === 'open').length;
  }

  /** Whether this node has a DNS port with this number, open or not. */
  serves(number: number): boolean {
    return this.#byNumber.has(number);
  }

  /** Ports that could not be opened; they are tried again. */
  get failed(): number {
    return [...this.#byNumber.values()].filter(({ state }) => state === 'failed').length;
  }

  /** The connection has been opened in this run. @param number unset: it has no DNS port, or the control plane is too old */
  opened(connection: Connection, number: number | null | undefined): void {
    if (number === null || number === undefined || this.#isStopped) return;
    const served = this.#serve(number);
    if (!served || served.owner?.connection === connection) return;
    // The control plane has assigned the port to another connection: the previous one has ended.
    served.owner?.answers.close();
    served.owner = { connection, answers: new Answers(this.context, connection) };
    this.#closeForbidden(served);
  }

  /** The connection has ended in this run. */
  closed(connection: Connection, end: EndReason): void {
    for (const [number, served] of this.#byNumber) {
      if (served.owner?.connection !== connection) continue;
      served.owner.answers.close();
      served.owner = undefined;
      // The connection is idle here but still open for the control plane: its allow-list still counts.
      if (end === 'idle') this.#closeForbidden(served);
      else served.listed = [];
      this.#closeUnused(number, served, end === 'out-of-money' || end === 'cap-reached');
    }
  }

  /** The password or the allow-list has changed. */
  accessChanged(connection: Connection): void {
    for (const served of this.#byNumber.values())
      if (served.owner?.connection === connection) this.#closeForbidden(served);
  }

  /** The ports of all connections that list clients, from the control plane. */
  list(ports: readonly ListedPort[]): void {
    if (this.#isStopped) return;
    const listed = new Map(ports.map(({ port, allowList }) => [port, allowList]));
    for (const [number, served] of this.#byNumber) {
      if (!listed.has(number)) served.listed = [];
      this.#closeUnused(number, served);
    }
    for (const [number, allowList] of listed) {
      const served = this.#serve(number);
      if (served) served.listed = allowList.flatMap((text) => parseNetwork(text) ?? []);
    }
  }

  /** Tries again to open the ports that failed, for example because another process uses them. */
  async retry(): Promise<void> {
    for (const served of this.#byNumber.values()) if (served.state === 'failed') await this.#open(served);
  }

  /** Takes no further questions. Resolves when all are answered, or after this time. */
  async drain(withinMs: number): Promise<void> {
    const answers = [...this.#byNumber.values()].flatMap(({ owner }) => owner?.answers ?? []);
    for (const each of answers) each.refuse();
    if (withinMs > 0) await settlesWithin(Promise.all(answers.map((each) => each.settled())), withinMs);
  }

  /** Closes all ports. */
  stop(): void {
    this.#isStopped = true;
    for (const { port, owner } of this.#byNumber.values()) {
      owner?.answers.close();
      port.close();
    }
    this.#byNumber.clear();
  }

  /** @returns undefined if the node has too many ports */
  #serve(number: number): ServedPort | undefined {
    const known = this.#byNumber.get(number);
    if (known) return known;
    const { context } = this;
    if (this.#byNumber.size >= context.limits.dnsPortsPerNode) {
      context.log.warn({ port: number }, 'This node has too many DNS ports: the port stays closed');
      return undefined;
    }
    const port = new DnsPort(context, number, (client) => this.#find(served, client));
    const served: ServedPort = { port, state: 'opening', owner: undefined, listed: [], waiting: 0, refusedUntil: 0 };
    this.#byNumber.set(number, served);
    inBackground(context.log, 'DNS port', this.#open(served));
    return served;
  }

  async #open(served: ServedPort): Promise<void> {
    const wasFailed = served.state === 'failed';
    served.state = 'opening';
    try {
      await served.port.open();
      served.state = 'open';
    } catch (error) {
      served.state = 'failed';
      const { log } = this.context;
      if (!wasFailed) log.error({ err: error, port: served.port.number }, 'A DNS port cannot be opened');
    }
  }

  #closeUnused(number: number, { port, owner, listed }: ServedPort, delivers = false): void {
    if (owner || listed.length > 0) return;
    port.close({ delivers });
    this.#byNumber.delete(number);
  }

  #closeForbidden({ port, owner }: ServedPort): void {
    port.closeForbiddenClients((client) => owner?.answers.isAllowed(client) === true);
  }

  #find(served: ServedPort, client: string): Answers | Promise<Answers | undefined> | undefined {
    const { owner, listed } = served;
    if (owner) return owner.answers.isAllowed(client) ? owner.answers : undefined;
    const isListed = listed.some((network) => network.contains(client));
    if (!isListed || served.waiting >= WAITING_MAX || performance.now() < served.refusedUntil) return undefined;
    return this.#authorize(served, client);
  }

  /** The source of a question may be forged: the control plane is asked once at a time, and rarely after a refusal. */
  async #authorize(served: ServedPort, client: string): Promise<Answers | undefined> {
    served.waiting += 1;
    try {
      await this.authorize(served.port.number, client);
    } catch {
      served.refusedUntil = performance.now() + this.context.limits.dnsRefusalMs;
    } finally {
      served.waiting -= 1;
    }
    return served.owner?.answers;
  }
}

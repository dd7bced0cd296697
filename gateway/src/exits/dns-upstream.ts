import { randomFillSync } from 'node:crypto';
import { getServers } from 'node:dns';
import type { Limits } from '../limits.ts';
import { parseAuthority, parseHost, addressText } from '../protocol/host.ts';
import { type Answer, isTruncated, type Query, RANDOM_BYTES, upstreamQuestion } from '../protocol/dns.ts';
import { toCause, TunnelFailure } from '../statuses.ts';
import { QueryConnections, type QueryConnectionsSettings } from './query-connections.ts';
import { type NameServer, QuerySocket } from './query-socket.ts';

const DNS_PORT = 53;
/** Attempts at the same name server if there is only one. */
const ATTEMPTS_MIN = 2;
/** A socket is replaced after this many questions or this time: a guessed port is of no use for long. */
const QUESTIONS_PER_SOCKET = 32;
const SOCKET_MS = 2_000;
/** Random bytes are read from the system in blocks: one call per question was visible in profiles. */
const RANDOM_BLOCK_BYTES = 64 * RANDOM_BYTES;

export interface DnsUpstreamSettings extends QueryConnectionsSettings {
  /** The exit's address, from which questions leave. Null: the host's default route. */
  readonly address: string | null;
  readonly nameServers: readonly string[] | undefined;
  readonly limits: QueryConnectionsSettings['limits'] & Pick<Limits, 'resolverAttemptMs' | 'dnsAnswerMs'>;
  /** For exits without UDP: name servers are reached only by `dial`. */
  readonly isTcpOnly?: boolean;
}

/** Asks the name servers of an exit. Each question has a random id and spelling, and soon another source port (RFC 5452). */
export class DnsUpstream {
  #servers: readonly NameServer[] | undefined;
  /** The index of the name server that is asked first: the one after the last that failed. */
  #preferred = 0;
  readonly #sockets = new Map<NameServer, QuerySocket>();
  readonly #connections: QueryConnections;
  #sweep: NodeJS.Timeout | undefined;
  #random = Buffer.alloc(RANDOM_BLOCK_BYTES);
  #randomAt = RANDOM_BLOCK_BYTES;

  constructor(private readonly settings: DnsUpstreamSettings) {
    this.#connections = new QueryConnections(settings);
  }

  /**
   * Asks over UDP, and over TCP if the answer does not repeat the question exactly. Tries the next name server if one is silent.
   * @param needsWhole also asks over TCP if the answer is truncated
   * @returns the answer, whose id and spelling are ours
   * @throws TunnelFailure `dns-timeout`, or `exit-unavailable` if the exit's address is missing
   */
  async ask(query: Query, { needsWhole }: { needsWhole: boolean }): Promise<Answer> {
    this.#servers ??= this.#readServers();
    const deadline = performance.now() + this.settings.limits.dnsAnswerMs;
    // Created only when one is needed: its stack trace was a tenth of the cost of a question.
    let failure: TunnelFailure | undefined;
    const attempts = Math.max(ATTEMPTS_MIN, this.#servers.length);
    let index = this.#preferred;
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const leftMs = deadline - performance.now();
      const server = this.#servers[index];
      if (!server || leftMs <= 0) break;
      try {
        return await this.#askServer(server, query, needsWhole, leftMs);
      } catch (error) {
        failure = new TunnelFailure(toCause(error));
        const next = (index + 1) % this.#servers.length;
        // Another question may already have changed it.
        if (this.#preferred === index) this.#preferred = next;
        index = next;
      }
    }
    throw failure ?? new TunnelFailure('exit-unavailable');
  }

  close(): void {
    clearInterval(this.#sweep);
    this.#sweep = undefined;
    for (const socket of this.#sockets.values()) socket.close();
    this.#sockets.clear();
    this.#connections.close();
  }

  async #askServer(server: NameServer, query: Query, needsWhole: boolean, leftMs: number): Promise<Answer> {
    const { budget, isTcpOnly, limits } = this.settings;
    const timeoutMs = Math.min(leftMs, limits.resolverAttemptMs);
    const startedAt = performance.now();
    budget.onEvent('sent');
    try {
      if (!isTcpOnly) {
        const socket = this.#socketFor(server);
        const answer = await socket.ask(this.#question(socket, query));
        if (answer !== 'mismatch' && !(needsWhole && isTruncated(answer.message))) {
          budget.onEvent('answered');
          return answer;
        }
      }
      budget.onEvent('tcp-fallback');
      const leftForTcpMs = Math.max(1, timeoutMs - (performance.now() - startedAt));
      const whole = await this.#connections.ask(server, (to) => this.#question(to, query), leftForTcpMs);
      budget.onEvent('answered');
      return whole;
    } catch (error) {
      if (toCause(error) === 'dns-timeout') budget.onEvent('timeout');
      throw error;
    }
  }

  #question(to: Pick<QuerySocket, 'isAsking'>, query: Query): Buffer {
    for (;;) {
      if (this.#randomAt + RANDOM_BYTES > RANDOM_BLOCK_BYTES) {
        randomFillSync(this.#random);
        this.#randomAt = 0;
      }
      const asked = upstreamQuestion(query, this.#random.subarray(this.#randomAt, this.#randomAt + RANDOM_BYTES));
      this.#randomAt += RANDOM_BYTES;
      if (!to.isAsking(asked.readUInt16BE(0))) return asked;
    }
  }

  /** @throws TunnelFailure if the node has too many sockets */
  #socketFor(server: NameServer): QuerySocket {
    const current = this.#sockets.get(server);
    if (current && current.asked < QUESTIONS_PER_SOCKET && performance.now() - current.openedAt < SOCKET_MS)
      return current;
    const { budget, address, limits } = this.settings;
    if (current) this.#replace(server, current);
    if (budget.sockets >= budget.socketsMax) throw new TunnelFailure('exit-unavailable');
    budget.sockets += 1;
    const socket: QuerySocket = new QuerySocket({
      server,
      localAddress: address,
      timeoutMs: limits.resolverAttemptMs,
      onEvent: budget.onEvent,
      onClosed: () => {
        budget.sockets -= 1;
        if (this.#sockets.get(server) === socket) this.#sockets.delete(server);
      },
    });
    this.#sockets.set(server, socket);
    socket.open();
    this.#sweep ??= setInterval(() => this.#closeOld(), SOCKET_MS).unref();
    return socket;
  }

  #replace(server: NameServer, socket: QuerySocket): void {
    this.#sockets.delete(server);
    socket.retire();
  }

  /** Closes old sockets, and stops the timer when none is left. */
  #closeOld(): void {
    const before = performance.now() - SOCKET_MS;
    for (const [server, socket] of this.#sockets) if (socket.openedAt <= before) this.#replace(server, socket);
    if (this.#sockets.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  /** Reads the name servers that the exit's address can reach. */
  #readServers(): NameServer[] {
    const { address, nameServers = getServers() } = this.settings;
    return nameServers.flatMap((text) => {
      const host = parseHost(text);
      const target = host ? { host, port: DNS_PORT } : parseAuthority(text, DNS_PORT);
      if (target?.host.kind !== 'address') return [];
      const { bytes } = target.host;
      const isReached = address === null || address.includes(':') === (bytes.length === 16);
      return isReached ? [{ host: addressText(bytes), port: target.port }] : [];
    });
  }
}

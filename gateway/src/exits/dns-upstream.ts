import { randomFillSync } from 'node:crypto';
import { getServers } from 'node:dns';
import type { Limits } from '../limits.ts';
import { parseAuthority, parseHost, addressText } from '../protocol/host.ts';
import { isRefusal, isTruncated, type Query, RANDOM_BYTES, upstreamQuestion } from '../protocol/dns.ts';
import type { Answer } from '../protocol/dns-records.ts';
import { type FailureCause, isUpstreamDown, toCause, TunnelFailure } from '../statuses.ts';
import { hasRoom, QueryConnections, type QueryConnectionsSettings } from './query-connections.ts';
import { type NameServer, QuerySocket } from './query-socket.ts';
import { staggered } from './staggered.ts';

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
  /** Read at the first question. */
  #servers: readonly NameServer[] = [];
  /** The index of the name server that is asked first: the one after the last that failed. */
  #preferred = 0;
  readonly #sockets = new Map<NameServer, QuerySocket>();
  readonly #connections: QueryConnections;
  #closing: NodeJS.Timeout | undefined;
  #random = Buffer.alloc(RANDOM_BLOCK_BYTES);
  #randomAt = RANDOM_BLOCK_BYTES;

  constructor(private readonly settings: DnsUpstreamSettings) {
    this.#connections = new QueryConnections(settings);
  }

  /**
   * Asks over UDP, and over TCP if the answer does not repeat the question exactly. If a name server is silent for `resolverAttemptMs`,
   * or has failed, the next one is asked as well; an answer to any of these questions counts until `dnsAnswerMs`.
   * @param needsWhole also asks over TCP if the answer is truncated
   * @returns the answer, whose id and spelling are ours
   * @throws TunnelFailure `dns-timeout`, or why there is no connection to a name server
   */
  async ask(query: Query, { needsWhole }: { needsWhole: boolean }): Promise<Answer> {
    const { limits } = this.settings;
    if (this.#servers.length === 0) this.#servers = this.#readServers();
    const servers = this.#servers;
    if (servers.length === 0) throw new TunnelFailure('exit-unavailable');
    const deadline = performance.now() + limits.dnsAnswerMs;
    const first = this.#preferred;
    /** The answer of a name server that could not answer: passed on if no other one can, also none that was asked before. */
    let refusal: Answer | undefined;
    const attempt = async (index: number) => {
      const at = (first + index) % servers.length;
      // One that refuses this question may well answer others.
      if (index > 0 && !refusal) this.#replacePreferred((at + servers.length - 1) % servers.length);
      const answer = await this.#askServer(servers[at]!, query, needsWhole, deadline);
      if (servers.length === 1 || !isRefusal(answer.message)) return answer;
      refusal = answer;
      throw new TunnelFailure('name-not-found');
    };
    const count = Math.max(ATTEMPTS_MIN, servers.length);
    try {
      return await staggered({ count, delayMs: limits.resolverAttemptMs, attempt });
    } catch (error) {
      if (refusal) return refusal;
      throw new TunnelFailure(nameServerCause(error));
    }
  }

  close(): void {
    clearInterval(this.#closing);
    this.#closing = undefined;
    for (const socket of this.#sockets.values()) socket.close();
    this.#sockets.clear();
    this.#connections.close();
  }

  /** Other questions start with the next name server. Another question may already have changed it. */
  #replacePreferred(failed: number): void {
    if (this.#preferred === failed) this.#preferred = (failed + 1) % this.#servers.length;
  }

  async #askServer(server: NameServer, query: Query, needsWhole: boolean, deadline: number): Promise<Answer> {
    const { budget, isTcpOnly } = this.settings;
    const leftMs = () => Math.max(1, deadline - performance.now());
    budget.onEvent('sent');
    try {
      if (!isTcpOnly) {
        const socket = this.#socketFor(server);
        const answer = await socket.ask(this.#question(socket, query), leftMs());
        if (answer !== 'mismatch' && !(needsWhole && isTruncated(answer.message))) {
          budget.onEvent('answered');
          return answer;
        }
      }
      budget.onEvent('tcp-fallback');
      const whole = await this.#connections.ask(server, (to) => this.#question(to, query), leftMs());
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

  /** @throws TunnelFailure if the node has too many sockets, and none to this name server */
  #socketFor(server: NameServer): QuerySocket {
    const current = this.#sockets.get(server);
    const { budget, address } = this.settings;
    const isFull = !hasRoom(budget);
    const isFresh = (socket: QuerySocket) =>
      socket.asked < QUESTIONS_PER_SOCKET && performance.now() - socket.openedAt < SOCKET_MS;
    if (current && (isFull || isFresh(current))) return current;
    if (isFull) throw new TunnelFailure('exit-unavailable');
    if (current) this.#replace(server, current);
    budget.sockets += 1;
    const socket: QuerySocket = new QuerySocket({
      server,
      localAddress: address,
      onEvent: budget.onEvent,
      onClosed: () => {
        budget.sockets -= 1;
        if (this.#sockets.get(server) === socket) this.#sockets.delete(server);
      },
    });
    this.#sockets.set(server, socket);
    socket.open();
    this.#closing ??= setInterval(() => this.#closeOld(), SOCKET_MS).unref();
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
    clearInterval(this.#closing);
    this.#closing = undefined;
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

/** Failures of the exit itself remain; others mean that the name server did not answer, and must not look like those of a destination. */
function nameServerCause(error: unknown): FailureCause {
  const cause = toCause(error);
  const isOfExit = cause === 'exit-unavailable' || cause === 'descriptors-exhausted' || isUpstreamDown(cause);
  return isOfExit || cause === 'internal' ? cause : 'dns-timeout';
}

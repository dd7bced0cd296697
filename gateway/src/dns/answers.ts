import type { Logger } from 'pino';
import { BoundedMap } from '../bounded-map.ts';
import type { Connection } from '../connections/connection.ts';
import { TokenBucket } from '../connections/token-bucket.ts';
import type { Limits } from '../limits.ts';
import { Meter, type Waiter } from '../metering/meter.ts';
import type { DropReason, Metrics, Outcome, Transport } from '../metrics.ts';
import {
  errorAnswer,
  parseQuery,
  type ParsedQuery,
  type Query,
  questionName,
  responseCodes,
  toClientAnswer,
  truncatedAnswer,
  udpPayloadMax,
  withheldAnswer,
} from '../protocol/dns.ts';
import type { Answer } from '../protocol/dns-records.ts';
import { isSpecialName } from '../protocol/special-names.ts';
import { toCause } from '../statuses.ts';

/** The parts of the node that DNS ports use. */
export interface DnsContext {
  /** The address on which the public port listens. */
  readonly host: string;
  readonly limits: Limits;
  readonly metrics: Pick<Metrics, 'byteTotals' | 'dns'>;
  readonly log: Logger;
  /** Whether answers may contain an address. */
  readonly isAddressAllowed: (address: Uint8Array) => boolean;
  /** Whether the operator refuses the name as a destination. */
  readonly isNameRefused: (name: string) => boolean;
  /** TCP clients of all ports. */
  readonly tcpClients: { count: number };
}

export interface Question {
  readonly message: Buffer;
  readonly transport: Transport;
  /** In canonical text. */
  readonly client: string;
  /** Whether the client has left, so that its answer could not be sent. */
  readonly isGone?: () => boolean;
}

interface Result {
  readonly answer: Buffer;
  readonly outcome: Outcome;
  /** This node has made the answer itself, without one of a name server: then neither question nor answer is counted. */
  readonly isFree?: boolean;
}

/** Datagrams never wait for a grant: they are dropped. */
const neverWaits: Waiter = {
  grantWaitMs: 0,
  slowed: () => {},
  grantWaitStarted: () => {},
  grantWaitFinished: () => {},
  grantWaitTimedOut: () => {},
};

/**
 * Answers the questions of one connection's clients through its exit. Question and answer are each counted as a whole when a name
 * server has answered; what this node answers itself is free. A message beyond the grant is dropped.
 */
export class Answers {
  readonly #meter: Meter;
  readonly #limiter: QuestionLimiter;
  readonly #settled = new Set<() => void>();
  #inFlight = 0;
  #isRefusing = false;
  #isClosed = false;

  constructor(
    private readonly context: DnsContext,
    private readonly connection: Connection,
  ) {
    this.#meter = new Meter(connection, context.metrics.byteTotals('dns'), neverWaits);
    this.#limiter = new QuestionLimiter(context.limits);
  }

  /** Allows only clients of the connection: the port is never an open resolver. */
  isAllowed(client: string): boolean {
    const { access, recentClients } = this.connection;
    return recentClients.has(client) || access.allows({ kind: 'address', address: client });
  }

  /** Whether a client may ask now; if not, it asks too fast. */
  isWithinRate(client: string): boolean {
    return this.#limiter.take(client);
  }

  /**
   * Answers a question, or drops it, which is counted here.
   * @param send called once with the answer, in the same tick in which it is counted: its last byte may end the connection
   * @returns whether there was an answer
   */
  async answer({ message, transport, client, isGone }: Question, send: (answer: Buffer) => void): Promise<boolean> {
    const drop = (reason: DropReason) => {
      this.context.metrics.dns.dropped(transport, reason);
      return false;
    };
    if (this.#isRefusing) return drop('port-closed');
    if (this.#inFlight >= this.context.limits.dnsQuestionsInFlight) return drop('in-flight-limit');
    const parsed = parseQuery(message);
    if (parsed.kind === 'dropped') return drop(parsed.reason);
    if (!this.#meter.hasWhole(message.length)) return drop('no-credit');
    const { speed } = this.connection.limits;
    if (speed?.takeWhole(message.length, this.#meter) === false) return drop('speed-limit');
    this.connection.lastDnsAt = performance.now();
    const { answer, outcome, isFree } = this.#ownAnswer(parsed) ?? (await this.#resolve(parsed.query, transport));
    // In the meantime the connection may have ended, or its access may have changed.
    if (this.#isClosed || !this.isAllowed(client)) return drop('port-closed');
    if (!isFree && !this.#meter.takeWhole('toExit', message.length)) return drop('no-credit');
    if (isGone?.()) return drop('client-closed');
    if (!isFree && !this.#meter.takeWhole('toClient', answer.length)) return drop('no-credit');
    if (!isFree) speed?.spend(answer.length, this.#meter);
    this.context.metrics.dns.answered(transport, outcome);
    send(answer);
    return true;
  }

  /** Answers only the questions in flight. */
  refuse(): void {
    this.#isRefusing = true;
  }

  /** Nothing is counted any more. */
  close(): void {
    this.#isClosed = true;
    this.#meter.stop();
  }

  /** Resolves when no question is in flight. */
  async settled(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((fulfil) => this.#settled.add(fulfil));
  }

  /** @returns undefined if name servers have to be asked */
  #ownAnswer(parsed: Exclude<ParsedQuery, { kind: 'dropped' }>): Result | undefined {
    const { query } = parsed;
    if (parsed.kind === 'refused') return { answer: errorAnswer(query, parsed.code), outcome: 'refused', isFree: true };
    const name = questionName(query);
    if (isSpecialName(name))
      return { answer: errorAnswer(query, responseCodes.nameError), outcome: 'special-name', isFree: true };
    if (!this.context.isNameRefused(name)) return undefined;
    this.connection.lastRefusal.record('destination-refused');
    return { answer: errorAnswer(query, responseCodes.refused), outcome: 'refused', isFree: true };
  }

  async #resolve(query: Query, transport: Transport): Promise<Result> {
    this.#inFlight += 1;
    try {
      const answer = await this.connection.exit.ask(query, { needsWhole: transport === 'tcp' });
      return this.#toResult(answer, query, transport);
    } catch (error) {
      // Otherwise no name server answers, or the exit is not available: the exit counts both.
      if (toCause(error) === 'internal') this.context.log.error({ err: error }, 'A DNS question failed');
      return { answer: errorAnswer(query, responseCodes.serverFailure), outcome: 'failed', isFree: true };
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#announceSettled();
    }
  }

  #toResult(received: Answer, query: Query, transport: Transport): Result {
    // A public name with a private address can point into the client's own network (DNS rebinding).
    if (!received.addresses.every((address) => this.context.isAddressAllowed(address)))
      return { answer: withheldAnswer(received.message, query), outcome: 'filtered' };
    const answer = toClientAnswer(received, query);
    const isTooLarge = transport === 'udp' && answer.length > udpPayloadMax(query);
    return isTooLarge
      ? { answer: truncatedAnswer(answer, query), outcome: 'truncated' }
      : { answer, outcome: 'answered' };
  }

  #announceSettled(): void {
    for (const announce of this.#settled) announce();
    this.#settled.clear();
  }
}

/** Client addresses of one port with their own rate; the oldest is evicted. */
const CLIENTS_MAX = 256;

/** The rates of questions on one port, in total and of each client address. */
class QuestionLimiter {
  readonly #all: TokenBucket;
  readonly #byClient = new BoundedMap<string, TokenBucket>(CLIENTS_MAX);

  constructor(private readonly limits: Limits) {
    this.#all = new TokenBucket(limits.dnsQuestionsPerSecond, limits.dnsQuestionsBurst);
  }

  take(client: string): boolean {
    return this.#bucketFor(client).take() && this.#all.take();
  }

  #bucketFor(client: string): TokenBucket {
    const known = this.#byClient.get(client);
    if (known) return known;
    const { dnsQuestionsPerSecondPerClient, dnsQuestionsBurstPerClient } = this.limits;
    const bucket = new TokenBucket(dnsQuestionsPerSecondPerClient, dnsQuestionsBurstPerClient);
    this.#byClient.set(client, bucket);
    return bucket;
  }
}

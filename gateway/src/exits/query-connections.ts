import type { Socket } from 'node:net';
import type { Limits } from '../limits.ts';
import { framed, isAnswerTo, LENGTH_BYTES, messageEnd } from '../protocol/dns.ts';
import { type Answer, readAnswer } from '../protocol/dns-records.ts';
import { toCause, TunnelFailure } from '../statuses.ts';
import type { NameServer, UpstreamEvent } from './query-socket.ts';

/** Limit and metrics of the sockets to name servers, shared by all exits. */
export interface UpstreamBudget {
  readonly socketsMax: number;
  sockets: number;
  /** Connections without a question, the one that has been idle for longest first: they give way where there would be too many. */
  readonly idle: Set<{ close(): void }>;
  readonly onEvent: (event: UpstreamEvent) => void;
}

export interface QueryConnectionsSettings {
  readonly limits: Pick<Limits, 'resolverAttemptMs' | 'dnsUpstreamTcpQuestions' | 'dnsUpstreamTcpIdleMs'>;
  readonly budget: UpstreamBudget;
  /** @throws TunnelFailure */
  readonly dial: (server: NameServer, timeoutMs: number) => Promise<Socket>;
}

/** @returns whether the node may have another socket */
export function hasRoom(budget: UpstreamBudget): boolean {
  const [idle] = budget.sockets >= budget.socketsMax ? budget.idle : [];
  idle?.close();
  return budget.sockets < budget.socketsMax;
}

/** Creates the question that is sent, with an id that is not in use. */
type CreateQuestion = (connection: Pick<QueryConnection, 'isAsking'>) => Buffer;

/** The TCP connections of an exit to its name servers. One serves many questions; there is another only if it is full. */
export class QueryConnections {
  readonly #open = new Map<QueryConnection, NameServer>();

  constructor(private readonly settings: QueryConnectionsSettings) {}

  /**
   * Asks once more, on a new connection, if the name server closed the connection before it answered: it may have been idle for too
   * long, or serve one question per connection.
   * @throws TunnelFailure
   */
  async ask(server: NameServer, createQuestion: CreateQuestion, timeoutMs: number): Promise<Answer> {
    const deadline = performance.now() + timeoutMs;
    const { limits } = this.settings;
    const shared = this.#find(server) ?? this.#connect(server, timeoutMs, limits.dnsUpstreamTcpQuestions);
    const answer = await shared.ask(createQuestion(shared), timeoutMs);
    if (answer !== 'closed') return answer;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) throw new TunnelFailure('dns-timeout');
    const own = this.#connect(server, leftMs, 1);
    const again = await own.ask(createQuestion(own), leftMs);
    if (again === 'closed') throw new TunnelFailure('dns-timeout');
    return again;
  }

  close(): void {
    for (const connection of this.#open.keys()) connection.close();
  }

  #find(server: NameServer): QueryConnection | undefined {
    for (const [connection, to] of this.#open) if (to === server && connection.takesQuestions) return connection;
    return undefined;
  }

  /** @throws TunnelFailure if the node has too many sockets */
  #connect(server: NameServer, timeoutMs: number, questionsMax: number): QueryConnection {
    const { budget, dial, limits } = this.settings;
    if (!hasRoom(budget)) throw new TunnelFailure('exit-unavailable');
    budget.sockets += 1;
    const connection: QueryConnection = new QueryConnection({
      questionsMax,
      silenceMs: limits.resolverAttemptMs,
      idleMs: limits.dnsUpstreamTcpIdleMs,
      onEvent: budget.onEvent,
      onIdle: () => budget.idle.add(connection),
      onUsed: () => budget.idle.delete(connection),
      onClosed: () => {
        budget.sockets -= 1;
        budget.idle.delete(connection);
        this.#open.delete(connection);
      },
    });
    this.#open.set(connection, server);
    connection.open(dial(server, timeoutMs));
    return connection;
  }
}

interface QueryConnectionSettings {
  readonly questionsMax: number;
  /** After this time without the answer to a question, it takes no further ones until there is an answer, because it may be dead. */
  readonly silenceMs: number;
  /** How long it stays open without a question. */
  readonly idleMs: number;
  readonly onEvent: (event: UpstreamEvent) => void;
  readonly onIdle: () => void;
  readonly onUsed: () => void;
  /** Called once. */
  readonly onClosed: () => void;
}

/** `closed`: the name server closed the connection before it answered. */
type Outcome = Answer | 'closed' | TunnelFailure;

interface Pending {
  readonly asked: Buffer;
  readonly timer: NodeJS.Timeout;
  readonly settle: (outcome: Outcome) => void;
}

/**
 * A TCP connection to a name server that carries several questions at once (RFC 7766, sections 6.2.1 and 7): answers may arrive in
 * any order. It closes when it is idle; its failure fails only its questions.
 */
class QueryConnection {
  readonly #pending = new Map<number, Pending>();
  #socket: Socket | undefined;
  #isRetired = false;
  /** An upstream may take longer to connect than a name server to answer: then the first answer says that it works. */
  #isSilent = false;
  #isClosed = false;
  #idle: NodeJS.Timeout | undefined;
  #chunks: Buffer[] = [];
  #receivedBytes = 0;
  /** The bytes needed to complete the next message, as far as its length is known. */
  #neededBytes = LENGTH_BYTES;

  constructor(private readonly settings: QueryConnectionSettings) {}

  /** Questions that arrive before it is open wait for it, and fail if it fails. */
  open(dial: Promise<Socket>): void {
    dial.then(
      (socket) => this.#opened(socket),
      (error: unknown) => this.#close(new TunnelFailure(toCause(error))),
    );
  }

  get takesQuestions(): boolean {
    return !this.#isRetired && !this.#isSilent && !this.#isClosed && this.#pending.size < this.settings.questionsMax;
  }

  isAsking(id: number): boolean {
    return this.#pending.has(id);
  }

  /**
   * @returns the answer, or `closed`
   * @throws TunnelFailure `dns-timeout`, or the reason why there is no connection
   */
  ask(asked: Buffer, timeoutMs: number): Promise<Answer | 'closed'> {
    const id = asked.readUInt16BE(0);
    clearTimeout(this.#idle);
    this.settings.onUsed();
    return new Promise((fulfil, reject) => {
      const settle = (outcome: Outcome) => {
        clearTimeout(timer);
        clearTimeout(silence);
        this.#pending.delete(id);
        if (outcome instanceof Error) reject(outcome);
        else fulfil(outcome);
        this.#settled();
      };
      const timer = setTimeout(() => this.#failed(id), timeoutMs);
      const silence = setTimeout(() => (this.#isSilent = true), this.settings.silenceMs);
      this.#pending.set(id, { asked, timer, settle });
      this.#socket?.write(framed(asked));
    });
  }

  /** Takes no further questions; closes after the answers to the pending ones. */
  retire(): void {
    this.#isRetired = true;
    if (this.#pending.size === 0) this.close();
  }

  /** Fails the pending questions. */
  close(): void {
    this.#close(new TunnelFailure('exit-unavailable'));
  }

  #opened(socket: Socket): void {
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    this.#socket = socket;
    const closed = () => this.#close('closed');
    socket.on('error', closed).on('end', closed).on('close', closed);
    socket.on('data', (chunk: Buffer) => this.#received(chunk));
    for (const { asked } of this.#pending.values()) socket.write(framed(asked));
    socket.resume();
  }

  #received(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes < this.#neededBytes) return;
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    let end = messageEnd(rest);
    for (; rest.length >= end && !this.#isClosed; end = messageEnd(rest)) {
      this.#answered(rest.subarray(LENGTH_BYTES, end));
      rest = rest.subarray(end);
    }
    this.#neededBytes = end;
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#receivedBytes = rest.length;
  }

  /** The spelling of the question may differ: some name servers change it, and nobody else can send on this connection. */
  #answered(message: Buffer): void {
    const pending = message.length < 2 ? undefined : this.#pending.get(message.readUInt16BE(0));
    // Late, or the name server confuses its clients: the connection takes no further questions.
    if (!pending) {
      this.settings.onEvent('unexpected');
      return this.retire();
    }
    const answer = isAnswerTo(pending.asked, message, { ignoresCase: true }) ? readAnswer(message) : undefined;
    this.#isSilent = false;
    if (answer) return pending.settle(answer);
    this.settings.onEvent('mismatch');
    return this.#failed(message.readUInt16BE(0));
  }

  /** A connection that has failed one question may be dead, so the next questions use another one. */
  #failed(id: number): void {
    this.#isRetired = true;
    this.#pending.get(id)?.settle(new TunnelFailure('dns-timeout'));
  }

  #settled(): void {
    if (this.#pending.size > 0 || this.#isClosed) return;
    if (this.#isRetired) return this.close();
    this.settings.onIdle();
    this.#idle = setTimeout(() => this.close(), this.settings.idleMs).unref();
  }

  #close(outcome: 'closed' | TunnelFailure): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#idle);
    this.#socket?.destroy();
    this.settings.onClosed();
    for (const { settle } of this.#pending.values()) settle(outcome);
  }
}

import type { Socket } from 'node:net';
import { framed, LENGTH_BYTES, messageEnd } from '../protocol/dns-framing.ts';
import { type Answer, isAnswerTo, readAnswer } from '../protocol/dns.ts';
import { causeOf, TunnelFailure } from '../statuses.ts';
import type { UpstreamEvent } from './query-socket.ts';

interface QueryConnectionSettings {
  readonly questionsMax: number;
  /** How long it stays open without a question. */
  readonly idleMs: number;
  readonly onEvent: (event: UpstreamEvent) => void;
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
export class QueryConnection {
  readonly #pending = new Map<number, Pending>();
  #socket: Socket | undefined;
  #isRetired = false;
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
      (error: unknown) => this.#close(new TunnelFailure(causeOf(error))),
    );
  }

  get takesQuestions(): boolean {
    return !this.#isRetired && !this.#isClosed && this.#pending.size < this.settings.questionsMax;
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
    return new Promise((fulfil, reject) => {
      const settle = (outcome: Outcome) => {
        clearTimeout(timer);
        this.#pending.delete(id);
        if (outcome instanceof Error) reject(outcome);
        else fulfil(outcome);
        this.#settled();
      };
      const timer = setTimeout(() => this.#failed(id), timeoutMs);
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

  #answered(message: Buffer): void {
    const pending = message.length < 2 ? undefined : this.#pending.get(message.readUInt16BE(0));
    // Late, or the name server confuses its clients: the connection takes no further questions.
    if (!pending) {
      this.settings.onEvent('unexpected');
      return this.retire();
    }
    const answer = isAnswerTo(pending.asked, message) ? readAnswer(message) : undefined;
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

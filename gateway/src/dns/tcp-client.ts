import type { Socket } from 'node:net';
import { framed, LENGTH_BYTES, messageEnd, QUESTION_BYTES_MAX } from '../protocol/dns.ts';
import type { Limits } from '../limits.ts';
import { resetSocket } from '../pipe/handle.ts';
import type { DropReason } from '../metrics.ts';

/** How soon a client that asked too fast is read again. */
const RATE_PAUSE_MS = 50;

interface TcpClientSettings {
  readonly limits: Pick<Limits, 'dnsTcpQuestionsInFlight' | 'dnsTcpIdleMs' | 'dnsTcpUnreadBytes'>;
  readonly isWithinRate: () => boolean;
  /** @returns false if there is no answer: then the client is closed */
  readonly answer: (message: Buffer, send: (answer: Buffer) => void) => Promise<boolean>;
  readonly dropped: (reason: DropReason) => void;
}

/**
 * A client that asks over TCP (RFC 7766): questions may be sent before the answers to earlier ones, and answers are sent as they
 * come. A client that asks too fast, or does not read, is not read.
 */
export class TcpClient {
  #received: Buffer = Buffer.alloc(0);
  #inFlight = 0;
  #hasEnded = false;
  #deadline: NodeJS.Timeout;
  #ratePause: NodeJS.Timeout | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly settings: TcpClientSettings,
  ) {
    this.#deadline = setTimeout(() => this.#timedOut(), settings.limits.dnsTcpIdleMs);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      clearTimeout(this.#deadline);
      clearTimeout(this.#ratePause);
    });
    socket.on('data', (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#process();
    });
    socket.once('end', () => {
      this.#hasEnded = true;
      this.#endIfAnswered();
    });
  }

  reset(): void {
    resetSocket(this.socket);
  }

  /** Takes no further questions, and ends after the answers that were sent. */
  end(): void {
    this.#hasEnded = true;
    this.#received = Buffer.alloc(0);
    this.socket.end();
  }

  /** Starts as many questions as the limits allow. The rest stays unread: the buffer holds at most one read. */
  #process(): void {
    while (this.#mayAsk()) {
      const message = this.#nextMessage();
      if (message === undefined) return this.#read();
      // The rate is checked per question, so an answered one is never read twice.
      this.#ask(message);
    }
    if (!this.socket.destroyed) this.socket.pause();
  }

  #mayAsk(): boolean {
    const { dnsTcpQuestionsInFlight, dnsTcpUnreadBytes } = this.settings.limits;
    const isBusy = this.#inFlight >= dnsTcpQuestionsInFlight || this.socket.writableLength > dnsTcpUnreadBytes;
    if (this.socket.destroyed || this.socket.writableEnded || isBusy || this.#ratePause) return false;
    if (this.#endOfMessage() === undefined || this.settings.isWithinRate()) return true;
    this.#ratePause = setTimeout(() => {
      this.#ratePause = undefined;
      this.#process();
    }, RATE_PAUSE_MS);
    return false;
  }

  #read(): void {
    if (!this.#hasEnded) this.socket.resume();
  }

  /** @returns undefined if the next question is not complete */
  #endOfMessage(): number | undefined {
    const end = messageEnd(this.#received);
    return end > this.#received.length ? undefined : end;
  }

  #nextMessage(): Buffer | undefined {
    const end = this.#endOfMessage();
    if (end === undefined) {
      const isTooLong = this.#received.length >= LENGTH_BYTES && this.#received.readUInt16BE(0) > QUESTION_BYTES_MAX;
      if (isTooLong) this.#drop('malformed');
      return undefined;
    }
    const message = this.#received.subarray(LENGTH_BYTES, end);
    this.#received = this.#received.subarray(end);
    this.#deadline.refresh();
    return message;
  }

  #ask(message: Buffer): void {
    this.#inFlight += 1;
    const answered = this.settings.answer(message, (answer) => this.#send(answer));
    answered.then(
      (isAnswered) => this.#answered(isAnswered),
      () => this.reset(),
    );
  }

  #send(answer: Buffer): void {
    if (this.socket.destroyed || this.socket.writableEnded) return;
    this.socket.write(framed(answer), () => this.#written());
  }

  #answered(isAnswered: boolean): void {
    this.#inFlight -= 1;
    if (this.socket.destroyed || this.socket.writableEnded) return;
    if (!isAnswered) return this.reset();
    this.#process();
    this.#endIfAnswered();
  }

  #written(): void {
    if (this.socket.destroyed || this.socket.writableEnded) return;
    this.#deadline.refresh();
    this.#process();
  }

  #endIfAnswered(): void {
    const hasQuestion = this.#endOfMessage() !== undefined;
    if (this.#hasEnded && this.#inFlight === 0 && !hasQuestion) this.socket.end();
  }

  #timedOut(): void {
    if (this.#inFlight > 0) {
      this.#deadline.refresh();
      return;
    }
    this.#drop('idle');
  }

  #drop(reason: DropReason): void {
    this.settings.dropped(reason);
    this.reset();
  }
}

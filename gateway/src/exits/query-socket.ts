import type { Socket } from 'node:dgram';
import { isAnswerTo } from '../protocol/dns.ts';
import { type Answer, readAnswer } from '../protocol/dns-records.ts';
import { type FailureCause, toDialFailure, TunnelFailure } from '../statuses.ts';
import { createUdpSocket } from '../udp/udp-socket.ts';

/** A name server: an address in canonical text, and a port. */
export interface NameServer {
  readonly host: string;
  readonly port: number;
}

/** Events for metrics. `unexpected`: a late, repeated or forged answer. `mismatch`: an answer to another question or spelling. */
export type UpstreamEvent = 'sent' | 'answered' | 'unexpected' | 'mismatch' | 'timeout' | 'failed' | 'tcp-fallback';

interface QuerySocketSettings {
  readonly server: NameServer;
  /** Null: the host's default route. */
  readonly localAddress: string | null;
  readonly onEvent: (event: UpstreamEvent) => void;
  /** Called once. */
  readonly onClosed: () => void;
}

interface Pending {
  readonly asked: Buffer;
  readonly timer: NodeJS.Timeout;
  readonly settle: (outcome: Answer | 'mismatch' | Error) => void;
}

/**
 * A UDP socket for some questions to one name server, from a port that the system chooses at random. It is connected, so the
 * kernel drops what does not come from the name server's address and port.
 */
export class QuerySocket {
  readonly openedAt = performance.now();
  asked = 0;
  readonly #socket: Socket;
  readonly #pending = new Map<number, Pending>();
  #isReady = false;
  #isRetired = false;
  #isClosed = false;

  constructor(private readonly settings: QuerySocketSettings) {
    this.#socket = createUdpSocket(settings.server.host);
    this.#socket.on('message', (message) => this.#received(message));
    this.#socket.on('error', (error) => this.#failed(error));
    this.#socket.once('connect', () => {
      this.#isReady = true;
      for (const { asked } of this.#pending.values()) this.#send(asked);
    });
  }

  /** Fails, and closes, immediately if the local address is missing. */
  open(): void {
    const { server, localAddress } = this.settings;
    this.#socket.bind({ port: 0, exclusive: true, ...(localAddress !== null && { address: localAddress }) }, () => {
      if (!this.#isClosed) this.#socket.connect(server.port, server.host);
    });
  }

  isAsking(id: number): boolean {
    return this.#pending.has(id);
  }

  /**
   * @returns the answer, or `mismatch` if there was one with the right id but another question or spelling: then the name server
   * does not preserve the case, or somebody tries to forge answers
   * @throws TunnelFailure `dns-timeout`, or why there is no socket
   */
  ask(asked: Buffer, timeoutMs: number): Promise<Answer | 'mismatch'> {
    const id = asked.readUInt16BE(0);
    this.asked += 1;
    return new Promise((fulfil, reject) => {
      if (this.#isClosed) return reject(new TunnelFailure('exit-unavailable'));
      const settle = (outcome: Answer | 'mismatch' | Error) => {
        clearTimeout(timer);
        this.#pending.delete(id);
        if (outcome instanceof Error) reject(outcome);
        else fulfil(outcome);
        if (this.#isRetired) this.#closeIfIdle();
      };
      const timer = setTimeout(() => settle(new TunnelFailure('dns-timeout')), timeoutMs);
      this.#pending.set(id, { asked, timer, settle });
      if (this.#isReady) this.#send(asked);
    });
  }

  /** Takes no further questions; closes after the answers to the pending ones. */
  retire(): void {
    this.#isRetired = true;
    this.#closeIfIdle();
  }

  /** Fails the pending questions. */
  close(cause: FailureCause = 'exit-unavailable'): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.close();
    this.settings.onClosed();
    for (const { settle } of this.#pending.values()) settle(new TunnelFailure(cause));
  }

  #closeIfIdle(): void {
    if (this.#pending.size === 0) this.close();
  }

  #send(asked: Buffer): void {
    this.#socket.send(asked, (error) => {
      if (error) this.#failed(error);
    });
  }

  #received(message: Buffer): void {
    const pending = message.length < 2 ? undefined : this.#pending.get(message.readUInt16BE(0));
    if (!pending) return this.settings.onEvent('unexpected');
    const answer = isAnswerTo(pending.asked, message) ? readAnswer(message) : undefined;
    if (answer) return pending.settle(answer);
    this.settings.onEvent('mismatch');
    return pending.settle('mismatch');
  }

  /** The exit's address is missing, or the name server's host refuses: the next name server may work. */
  #failed(error: Error): void {
    if (this.#isClosed) return;
    this.settings.onEvent('failed');
    this.close(this.#isReady ? 'dns-timeout' : toDialFailure(error).failure);
  }
}

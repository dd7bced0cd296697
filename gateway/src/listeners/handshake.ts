import { MessageReader, type Parsed } from '../protocol/message-reader.ts';
import { type FailureCause, TunnelFailure } from '../statuses.ts';
import type { ClientSocket } from './client-socket.ts';

interface HandshakeLimits {
  readonly headBytes: number;
  readonly earlyDataBytes: number;
}

/**
 * What a handshake does. It yields where it waits, and is continued by whatever may have ended the wait. Known credentials need no
 * promise from the first byte to the dial: a coroutine reads like an asynchronous function, but continues within the event that it waits for.
 */
export type Steps<Result = void> = Generator<undefined, Result, undefined>;

/** Reads the messages of a client's handshake from a stream of chunks. */
export class Handshake {
  readonly #reader = new MessageReader();
  #steps: Steps | undefined;
  #isRunning = false;
  #failed: (error: unknown) => void = () => {};
  #interruption: TunnelFailure | undefined;
  /** The reply to a client that is refused now, in its protocol; set at each stage. Empty until the protocol is known. */
  encodeRefusal: (cause: FailureCause) => string | Uint8Array = () => '';

  constructor(
    readonly client: ClientSocket,
    private readonly limits: HandshakeLimits,
  ) {
    client.interrupt = (cause) => this.#interrupt(new TunnelFailure(cause));
    client.transport.listen({
      data: (chunk) => this.#received(chunk),
      disconnected: () => this.#fail(new TunnelFailure('client-closed')),
    });
  }

  /** Starts the handshake. @param failed receives the error that ends it */
  run(steps: Steps, failed: (error: unknown) => void): void {
    this.#steps = steps;
    this.#failed = failed;
    this.#continue();
  }

  /**
   * Waits for the next message and consumes it.
   * @throws TunnelFailure
   */
  *read<Message>(parse: (bytes: Buffer) => Parsed<Message>): Steps<Message> {
    for (;;) {
      const arrived = this.#reader.take(parse, this.limits.headBytes);
      if (arrived.kind === 'message') return arrived.message;
      yield;
    }
  }

  /**
   * Waits for work of the gateway, at most until the deadline of the handshake.
   * @throws TunnelFailure `handshake-timeout`, `draining`, or the error of the work
   */
  withinDeadline<Result>(work: Result | Promise<Result>): Steps<Result> {
    return this.#wait(work, () => this.#interruption);
  }

  /** Waits for work that has its own deadline. @throws the error of the work */
  finish<Result>(work: Promise<Result>): Steps<Result> {
    return this.#wait(work, () => undefined);
  }

  /** Pauses and releases the client's connection. @returns the bytes after the handshake */
  release(): Buffer {
    this.client.transport.release();
    return this.#reader.bytes;
  }

  *#wait<Result>(work: Result | Promise<Result>, interruption: () => TunnelFailure | undefined): Steps<Result> {
    if (!(work instanceof Promise)) return work;
    const settled: { result?: PromiseSettledResult<Result> } = {};
    work.then(
      (value) => this.#settle(settled, { status: 'fulfilled', value }),
      (reason: unknown) => this.#settle(settled, { status: 'rejected', reason }),
    );
    for (;;) {
      const { result } = settled;
      if (result?.status === 'fulfilled') return result.value;
      if (result) throw result.reason;
      const failure = interruption();
      if (failure) throw failure;
      yield;
    }
  }

  #settle<Result>(settled: { result?: PromiseSettledResult<Result> }, result: PromiseSettledResult<Result>): void {
    settled.result = result;
    this.#continue();
  }

  #received(chunk: Buffer): void {
    this.client.receivedData();
    this.#reader.add(chunk);
    if (this.#reader.bytes.length > this.limits.earlyDataBytes) this.client.transport.pause();
    this.#continue();
  }

  #fail(failure: TunnelFailure): void {
    this.#reader.fail(failure);
    this.#continue();
  }

  #interrupt(failure: TunnelFailure): void {
    this.#interruption ??= failure;
    this.#fail(failure);
  }

  /** What happens within a step is seen when the step waits again. */
  #continue(): void {
    if (!this.#steps || this.#isRunning) return;
    this.#isRunning = true;
    try {
      if (this.#steps.next().done === true) this.#steps = undefined;
    } catch (error) {
      this.#steps = undefined;
      this.#failed(error);
    } finally {
      this.#isRunning = false;
    }
  }
}

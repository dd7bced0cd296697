import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Overhead } from './overhead.ts';

interface StreamListener {
  /** False: nothing more until `resume`. */
  data(chunk: Buffer): boolean;
  /** The client has sent its last byte. */
  ended(): void;
}

const FIRST_HELD_BYTES = 4096;

/**
 * Reads what a client sends on a stream, paused until `start`. While it is paused, its window keeps the client from sending more, and other streams go on.
 * The library would keep each frame as a chunk of its own, with the memory of the read in which it came: a client that sends its window in frames of
 * one byte would use a thousand times as much. So what arrives meanwhile is joined.
 */
export class StreamReader {
  #listener: StreamListener | undefined;
  #isPaused = true;
  #held: Buffer | undefined;
  #heldBytes = 0;
  /** The end has come, and the listener does not know it yet. */
  #isEnded: boolean;

  constructor(
    private readonly stream: ServerHttp2Stream,
    private readonly windowBytes: number,
    private readonly overhead: Pick<Overhead, 'passed'>,
  ) {
    // Such an end comes before the stream itself.
    this.#isEnded = stream.endAfterHeaders;
    const push = stream.push.bind(stream);
    stream.push = (chunk: Buffer | null): boolean => {
      if (chunk !== null) return this.#read(chunk);
      this.#isEnded = true;
      this.#deliver();
      return push(null);
    };
    stream.on('error', () => stream.destroy());
    stream.resume(); // For the event of its end alone: data does not get there.
  }

  start(listener: StreamListener): void {
    this.#listener = listener;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#deliver();
    if (!this.#isPaused && !this.stream.destroyed) this.stream._read(0);
  }

  #read(chunk: Buffer): boolean {
    this.overhead.passed(chunk.length);
    if (this.#isPaused || !this.#listener) this.#hold(chunk);
    else if (!this.#listener.data(chunk)) this.#isPaused = true;
    return !this.#isPaused;
  }

  #hold(chunk: Buffer): void {
    const bytes = this.#heldBytes + chunk.length;
    // What the client may send is at most its window, and what had been asked for when the stream was paused.
    if (bytes > 2 * this.windowBytes) return this.stream.close(constants.NGHTTP2_FLOW_CONTROL_ERROR);
    const held = this.#held ?? Buffer.allocUnsafeSlow(Math.max(FIRST_HELD_BYTES, bytes));
    this.#held = held.length < bytes ? Buffer.concat([held.subarray(0, this.#heldBytes)], 2 * bytes) : held;
    chunk.copy(this.#held, this.#heldBytes);
    this.#heldBytes = bytes;
  }

  #deliver(): void {
    if (this.#isPaused || !this.#listener) return;
    const held = this.#held?.subarray(0, this.#heldBytes);
    this.#held = undefined;
    this.#heldBytes = 0;
    if (held && !this.#listener.data(held)) this.#isPaused = true;
    if (this.#isEnded) {
      this.#isEnded = false;
      this.#listener.ended();
    }
  }
}

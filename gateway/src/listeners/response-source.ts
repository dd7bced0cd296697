import type { Side, SideListener } from '../pipe/pipe.ts';
import type { ResponseReader } from '../protocol/http-response.ts';

/**
 * The connection to an origin as the side of a pipe, up to the end of its response. What the origin sends after that is
 * neither counted nor passed on, and its failures no longer matter: the client may still be receiving the response.
 */
export class ResponseSource implements Side {
  #isRaw = false;
  #isMalformed = false;
  #isClosed = false;
  #isStopped = false;
  /** Reports the close of an origin that has closed after its response, so that the client still receives all of it. */
  #reportClosed: (() => void) | undefined;

  /** @param whenMalformed called once, and later, if the response cannot be read */
  constructor(
    private readonly origin: Side,
    private readonly response: ResponseReader,
    private readonly whenMalformed: () => void,
  ) {}

  get pendingBytes(): number {
    return this.origin.pendingBytes;
  }

  /** The connection has been upgraded: from now on it carries no response. */
  passAll(): void {
    this.#isRaw = true;
  }

  open(listener: SideListener): void {
    this.origin.open({
      data: (chunk) => this.#read(chunk, listener),
      ended: () => listener.ended(),
      failed: (restBytes) => {
        if (!this.response.isComplete) listener.failed(restBytes);
      },
      closed: () => {
        this.#isClosed = true;
        if (this.response.isComplete && !this.#isStopped) this.#reportClosed = () => listener.closed();
        else listener.closed();
      },
    });
  }

  /** A request that the origin no longer reads waits until the client has its response. */
  write(chunk: Buffer, onDrained: () => void): boolean {
    return !this.#isClosed && this.origin.write(chunk, onDrained);
  }

  resume(): void {
    if (!this.response.isComplete) this.origin.resume();
  }

  end(): void {
    this.origin.end();
  }

  reset(): void {
    this.#stop(() => this.origin.reset());
  }

  resetAfterDelivery(): void {
    this.#stop(() => this.origin.resetAfterDelivery());
  }

  close(): void {
    this.#stop(() => this.origin.close());
  }

  #read(chunk: Buffer, listener: SideListener): boolean {
    if (this.#isRaw || this.#isMalformed) return listener.data(chunk);
    const readBytes = this.response.read(chunk);
    if (readBytes === 'malformed') {
      this.#isMalformed = true;
      process.nextTick(this.whenMalformed);
      return listener.data(chunk);
    }
    const isFlowing = readBytes === 0 || listener.data(chunk.subarray(0, readBytes));
    return isFlowing && !this.response.isComplete;
  }

  #stop(stop: () => void): void {
    this.#isStopped = true;
    const reportClosed = this.#reportClosed ?? stop;
    this.#reportClosed = undefined;
    reportClosed();
  }
}

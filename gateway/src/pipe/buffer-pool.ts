/** Reusable large read buffers. A lane without one reads into the shared buffer and copies. */
export class BufferPool {
  readonly #free: Buffer[] = [];
  #inUse = 0;

  constructor(
    private readonly maximum: number,
    readonly bufferBytes: number,
  ) {}

  get inUse(): number {
    return this.#inUse;
  }

  acquire(): Buffer | undefined {
    if (this.#inUse >= this.maximum) return undefined;
    this.#inUse += 1;
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.bufferBytes);
  }

  release(buffer: Buffer): void {
    this.#inUse -= 1;
    this.#free.push(buffer);
  }
}

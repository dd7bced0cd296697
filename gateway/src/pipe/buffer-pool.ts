/** Large read buffers, reused. A lane without one reads into the shared buffer and copies. */
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

  take(): Buffer | undefined {
    if (this.#inUse >= this.maximum) return undefined;
    this.#inUse += 1;
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.bufferBytes);
  }

  giveBack(buffer: Buffer): void {
    this.#inUse -= 1;
    this.#free.push(buffer);
  }
}

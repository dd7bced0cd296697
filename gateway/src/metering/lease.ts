export interface LeaseHolder {
  /** Others need the bytes: settle as soon as possible, ideally before this returns. Called at most once. */
  recalled(): void;
  /** Called with the number of counted bytes. */
  counted(usedBytes: number): void;
}

/**
 * Bytes of a connection's credit that are reserved for one read, so that they can be counted after it. A lease is settled
 * once, with the bytes that have passed; the rest is released.
 */
export class Lease {
  #isSettled = false;
  #isRecalled = false;

  constructor(
    readonly bytes: number,
    private readonly holder: LeaseHolder,
    private readonly settled: (lease: Lease, usedBytes: number) => void,
  ) {}

  recall(): void {
    if (this.#isRecalled || this.#isSettled) return;
    this.#isRecalled = true;
    this.holder.recalled();
  }

  /** @returns the counted bytes: at most the leased ones, and 0 after the first call */
  settle(usedBytes: number): number {
    if (this.#isSettled) return 0;
    this.#isSettled = true;
    const countedBytes = Math.min(usedBytes, this.bytes);
    if (countedBytes > 0) this.holder.counted(countedBytes);
    this.settled(this, countedBytes);
    return countedBytes;
  }
}

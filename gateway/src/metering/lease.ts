export interface LeaseHolder {
  /** Others need the bytes: settle as soon as possible, at best before this returns. Called at most once. */
  recalled(): void;
  /** So many have been counted. */
  counted(usedBytes: number): void;
}

/**
 * Bytes of a connection's credit that are set aside for one read, so that it can be counted when it is over. It is settled
 * once, with what has passed; the rest is free again.
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

  /** @returns how many are counted: all, the first time, if no more have passed than were leased */
  settle(usedBytes: number): number {
    if (this.#isSettled) return 0;
    this.#isSettled = true;
    const countedBytes = Math.min(usedBytes, this.bytes);
    if (countedBytes > 0) this.holder.counted(countedBytes);
    this.settled(this, countedBytes);
    return countedBytes;
  }
}

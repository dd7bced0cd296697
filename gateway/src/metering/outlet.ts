export interface ByteTotals {
  toExit: number;
  toClient: number;
}

/** Where bytes of a connection pass without JavaScript. */
export interface Outlet {
  /** So many bytes may pass from now on. With `askAt` of them left, it calls `Credit.refillOutlet`. */
  allow(bytes: number, askAt: number): void;
  /** Since it was opened; none beyond the allowed ones. */
  readonly passedBytes: Readonly<ByteTotals>;
}

/** Up to this, all that is free is reserved; above it a half, so that others need not take it back for each chunk. */
const WHOLE_BYTES = 128 * 1024;
/** It asks again when this share of its reservation is left. */
const ASK_SHARE = 0.25;

/** What a credit has reserved for its outlet. */
export class OutletShare {
  /** With the bytes that have passed and are not counted yet. */
  reservedBytes = 0;
  #counted: Readonly<ByteTotals> = { toExit: 0, toClient: 0 };

  constructor(private readonly outlet: Outlet) {}

  get uncounted(): ByteTotals {
    const { toExit, toClient } = this.outlet.passedBytes;
    return { toExit: toExit - this.#counted.toExit, toClient: toClient - this.#counted.toClient };
  }

  /** @returns what passed since the last call; it is reserved no more */
  collect(): ByteTotals {
    const passed = this.uncounted;
    this.#counted = {
      toExit: this.#counted.toExit + passed.toExit,
      toClient: this.#counted.toClient + passed.toClient,
    };
    this.reservedBytes -= passed.toExit + passed.toClient;
    return passed;
  }

  /** Replaces the reservation. @param untilDueBytes how many may pass before a report is due */
  reserve(freeBytes: number, untilDueBytes: number): void {
    this.reservedBytes = freeBytes <= WHOLE_BYTES ? freeBytes : Math.max(WHOLE_BYTES, Math.floor(freeBytes / 2));
    const askAt = Math.max(this.reservedBytes * ASK_SHARE, this.reservedBytes - untilDueBytes);
    this.outlet.allow(this.reservedBytes, Math.floor(Math.max(0, askAt)));
  }
}

/**
 * What this process saw of connections when it last settled them. It saves reads and decides nothing: a payer never changes, and
 * whether a report is news is looked up again under the payer's lock.
 */
export interface Recollection {
  payerAccountId: bigint;
  /** The run whose report it was, and what that run had counted then. */
  runId: string;
  usedBytes: bigint;
}

export class Recollections {
  readonly #max: number;
  /** The longest ago first. */
  readonly #ofConnection = new Map<string, Recollection>();

  /** @param max more than this many are not kept; those go first that were not settled for longest */
  constructor(max: number) {
    this.#max = max;
  }

  get(connectionId: string): Recollection | undefined {
    return this.#ofConnection.get(connectionId);
  }

  set(connectionId: string, recollection: Recollection): void {
    this.#ofConnection.delete(connectionId);
    this.#ofConnection.set(connectionId, recollection);
    if (this.#ofConnection.size > this.#max) this.#ofConnection.delete(this.#ofConnection.keys().next().value!);
  }
}

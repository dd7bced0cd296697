/**
 * Ends a dial from outside. An AbortSignal does the same, but it is an event target, and making one for each
 * tunnel showed in profiles.
 */
export class DialAbort {
  #isAborted = false;
  readonly #callbacks = new Set<() => void>();

  get isAborted(): boolean {
    return this.#isAborted;
  }

  abort(): void {
    this.#isAborted = true;
    for (const callback of this.#callbacks) callback();
    this.#callbacks.clear();
  }

  /** Calls back once, at once if it has happened; the answer cancels that. */
  whenAborted(callback: () => void): () => void {
    if (this.#isAborted) callback();
    else this.#callbacks.add(callback);
    return () => this.#callbacks.delete(callback);
  }
}

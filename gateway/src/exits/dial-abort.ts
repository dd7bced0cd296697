/**
 * Cancels a dial. An AbortSignal does the same, but it is an EventTarget, and creating one per tunnel was visible in
 * profiles.
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

  /** Calls back once, immediately if already aborted. @returns a function that cancels the callback */
  whenAborted(callback: () => void): () => void {
    if (this.#isAborted) callback();
    else this.#callbacks.add(callback);
    return () => this.#callbacks.delete(callback);
  }
}

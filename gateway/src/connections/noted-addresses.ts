/** The control plane remembers for 30 days from where a password was used. */
const NOTED_AGAIN_MS = 24 * 60 * 60 * 1000;
/** Of one connection; above it the oldest is forgotten, and noted again when it is used again. */
const ADDRESSES_MAX = 100;

/** From where the password of a connection was used, as far as the control plane has been told. */
export class NotedAddresses {
  readonly #notedAt = new Map<string, number>();

  has(address: string): boolean {
    return performance.now() - (this.#notedAt.get(address) ?? Number.NEGATIVE_INFINITY) < NOTED_AGAIN_MS;
  }

  note(address: string): void {
    this.#notedAt.delete(address);
    this.#notedAt.set(address, performance.now());
    const [oldest] = this.#notedAt.keys();
    if (oldest !== undefined && this.#notedAt.size > ADDRESSES_MAX) this.#notedAt.delete(oldest);
  }
}

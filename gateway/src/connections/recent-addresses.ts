/** The control plane stores an address for 30 days, so each is sent again after a day. */
const RESEND_AFTER_MS = 24 * 60 * 60 * 1000;
/** Per connection. Above it the oldest is evicted, and sent again at its next use. */
const ADDRESSES_MAX = 100;

/** Client addresses that used the password of a connection and that the control plane has stored recently. */
export class RecentAddresses {
  readonly #sentAt = new Map<string, number>();

  has(address: string): boolean {
    return performance.now() - (this.#sentAt.get(address) ?? Number.NEGATIVE_INFINITY) < RESEND_AFTER_MS;
  }

  add(address: string): void {
    this.#sentAt.delete(address);
    this.#sentAt.set(address, performance.now());
    const [oldest] = this.#sentAt.keys();
    if (oldest !== undefined && this.#sentAt.size > ADDRESSES_MAX) this.#sentAt.delete(oldest);
  }
}

import { PURCHASE_NETWORKS_MAX, type PurchaseNetwork } from '@cellhop/contract/gateway';

/** More than one customer uses at a time, and few enough that one purchase cannot displace the networks of others. */
const PER_CONNECTION_MAX = 64;
const NETWORKS_MAX = 20_000;

/**
 * Networks from which clients have authenticated in this run, of which those that did so least recently are forgotten, and those where
 * buyers of open connections were signed in.
 */
export class KnownNetworks {
  readonly #connectionIds = new Map<string, string>();
  readonly #byConnection = new Map<string, Set<string>>();
  /** The oldest first. */
  readonly #purchases = new Map<string, { readonly network: string; readonly toldAt: number }>();
  readonly #boughtIn = new Map<string, Set<string>>();

  get size(): number {
    return this.#connectionIds.size;
  }

  /**
   * The connection with whose credentials a client of the network has authenticated last, or else the first one that was bought there;
   * undefined if there is none.
   */
  connectionId(network: string): string | undefined {
    return this.#connectionIds.get(network) ?? this.#boughtIn.get(network)?.values().next().value;
  }

  bought(purchases: readonly PurchaseNetwork[]): void {
    for (const { connectionId, network } of purchases) {
      this.ended(connectionId);
      this.#purchases.set(connectionId, { network, toldAt: performance.now() });
      const connectionIds = this.#boughtIn.get(network) ?? new Set();
      this.#boughtIn.set(network, connectionIds.add(connectionId));
      const [oldest] = this.#purchases.keys();
      if (oldest !== undefined && this.#purchases.size > PURCHASE_NETWORKS_MAX) this.ended(oldest);
    }
  }

  /** The purchase says nothing about the network any more. */
  ended(connectionId: string): void {
    const { network } = this.#purchases.get(connectionId) ?? {};
    if (network === undefined) return;
    this.#purchases.delete(connectionId);
    const connectionIds = this.#boughtIn.get(network);
    connectionIds?.delete(connectionId);
    if (connectionIds?.size === 0) this.#boughtIn.delete(network);
  }

  /** Those of all open connections. @param askedAt what was bought since may be missing */
  listed(purchases: readonly PurchaseNetwork[], askedAt: number): void {
    const open = new Set(purchases.map(({ connectionId }) => connectionId));
    for (const [connectionId, { toldAt }] of this.#purchases)
      if (toldAt < askedAt && !open.has(connectionId)) this.ended(connectionId);
    // The newest is last.
    this.bought(purchases.filter(({ connectionId }) => !this.#purchases.has(connectionId)).toReversed());
  }

  authenticated(network: string, connectionId: string): void {
    this.#forget(network);
    this.#connectionIds.set(network, connectionId);
    let networks = this.#byConnection.get(connectionId);
    if (!networks) this.#byConnection.set(connectionId, (networks = new Set()));
    networks.add(network);
    if (networks.size > PER_CONNECTION_MAX) this.#forget(networks.values().next().value);
    else if (this.size > NETWORKS_MAX) this.#forget(this.#connectionIds.keys().next().value);
  }

  #forget(network: string | undefined): void {
    if (network === undefined) return;
    const connectionId = this.#connectionIds.get(network);
    if (connectionId === undefined) return;
    this.#connectionIds.delete(network);
    const networks = this.#byConnection.get(connectionId);
    networks?.delete(network);
    if (networks?.size === 0) this.#byConnection.delete(connectionId);
  }
}

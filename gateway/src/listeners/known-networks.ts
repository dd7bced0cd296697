/** More than one customer uses at a time, and few enough that one purchase cannot displace the networks of others. */
const PER_CONNECTION_MAX = 64;
const NETWORKS_MAX = 20_000;

/** Networks from which clients have authenticated in this run. Those that did so least recently are forgotten. */
export class KnownNetworks {
  readonly #connectionIds = new Map<string, string>();
  readonly #byConnection = new Map<string, Set<string>>();

  get size(): number {
    return this.#connectionIds.size;
  }

  /** The connection with whose credentials a client of the network has authenticated last; undefined if none has. */
  connectionId(network: string): string | undefined {
    return this.#connectionIds.get(network);
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

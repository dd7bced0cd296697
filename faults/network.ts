import net from 'node:net';

/**
 * - `open`: forwards everything.
 * - `cut`: resets open and new connections.
 * - `refused`: refuses new connections; open ones stay open.
 * - `slow`: delays each chunk.
 * - `silent`: buffers everything until it is `open` again.
 * - `one-way`: forwards everything to the target and nothing back. Connections of that time never get a response.
 * - `blackholed`: forwards nothing. Connections of that time stay dead and are never reset, as after the loss of a host.
 */
export type NetworkState = 'open' | 'cut' | 'refused' | 'slow' | 'silent' | 'one-way' | 'blackholed';

const SLOW_MS = 400;

interface Pair {
  readonly client: net.Socket;
  /** Undefined if the connection was opened while the network was blackholed. */
  readonly target: net.Socket | undefined;
  /** Forwards nothing any more, in either direction. */
  isDead: boolean;
  /** Forwards nothing back to the client any more. */
  isOneWay: boolean;
}

/** A TCP proxy between two programs that simulates network failures. */
export class Network {
  readonly #server = net.createServer((socket) => this.#join(socket));
  readonly #pairs = new Set<Pair>();
  #port = 0;
  #state: NetworkState = 'open';

  /**
   * @param targetPort called for each connection, because a restarted server may have another port
   * @param createTap called for each connection: its result receives all chunks to the target
   */
  constructor(
    private readonly targetPort: () => number,
    private readonly createTap?: () => (chunk: Buffer) => void,
  ) {}

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => void this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as net.AddressInfo).port;
    return this.#port;
  }

  async set(state: NetworkState): Promise<void> {
    const wasListening = this.#state !== 'refused';
    this.#state = state;
    for (const pair of this.#pairs) applyState(pair, state);
    if (state === 'refused') this.#server.close();
    else if (!wasListening) await this.listen();
  }

  /** Resets open connections; new ones are forwarded. */
  reset(): void {
    for (const pair of this.#pairs) resetPair(pair);
  }

  close(): void {
    this.reset();
    this.#server.close();
  }

  #join(client: net.Socket): void {
    if (this.#state === 'cut') return void client.resetAndDestroy();
    const isBlackholed = this.#state === 'blackholed';
    const target = isBlackholed ? undefined : net.connect(this.targetPort(), '127.0.0.1');
    const pair: Pair = { client, target, isDead: isBlackholed, isOneWay: false };
    this.#pairs.add(pair);
    client.on('error', () => {});
    client.on('close', () => this.#pairs.delete(pair));
    if (!target) return undefined;
    target.on('error', () => {});
    const tap = this.createTap?.();
    if (tap) client.on('data', tap);
    this.#forward(pair, client, target);
    this.#forward(pair, target, client);
    applyState(pair, this.#state);
    return undefined;
  }

  #forward(pair: Pair, from: net.Socket, to: net.Socket): void {
    from.setNoDelay();
    const isLost = () => pair.isDead || (pair.isOneWay && from === pair.target);
    const forward = (action: () => unknown) => {
      const runUnlessLost = () => void (isLost() || action());
      // Equal delays preserve the order.
      if (this.#state === 'slow') setTimeout(runUnlessLost, SLOW_MS);
      else runUnlessLost();
    };
    from.on('data', (chunk: Buffer) => forward(() => to.write(chunk)));
    from.on('end', () => forward(() => to.end()));
    from.on('close', () => {
      // The close of a dead connection is not forwarded either.
      if (!isLost()) to.destroy();
    });
  }
}

function applyState(pair: Pair, state: NetworkState): void {
  if (state === 'cut') return resetPair(pair);
  if (state === 'blackholed') pair.isDead = true;
  if (state === 'one-way') pair.isOneWay = true;
  for (const socket of [pair.client, pair.target])
    if (state === 'silent' || pair.isDead) socket?.pause();
    else socket?.resume();
}

function resetPair({ client, target }: Pair): void {
  client.resetAndDestroy();
  target?.resetAndDestroy();
}

import net from 'node:net';

/**
 * - `open`: carries everything.
 * - `cut`: resets what is open and what comes.
 * - `refused`: nobody listens any more; what is open stays open.
 * - `slow`: each piece is late.
 * - `silent`: keeps everything and carries nothing until it is `open` again.
 * - `one-way`: carries everything to the target and nothing back. What is open by then never gets an answer.
 * - `blackholed`: carries nothing. What was open by then, or was opened meanwhile, stays dead and is never reset, as after
 *   the loss of a machine.
 */
export type NetworkState = 'open' | 'cut' | 'refused' | 'slow' | 'silent' | 'one-way' | 'blackholed';

const SLOW_MS = 400;

interface Pair {
  readonly near: net.Socket;
  /** Missing where a connection was made into a black hole. */
  readonly far: net.Socket | undefined;
  /** Never carries anything again, in either direction. */
  isDead: boolean;
  /** Never carries anything back again. */
  isMute: boolean;
}

/** A stretch of network between two programs: a TCP proxy that breaks in the ways in which networks do. */
export class Network {
  readonly #server = net.createServer((socket) => this.#join(socket));
  readonly #pairs = new Set<Pair>();
  #port = 0;
  #state: NetworkState = 'open';

  /**
   * @param targetPort asked for each connection, because a server may come back elsewhere
   * @param overhear asked for each connection: what it gives hears all that is carried to the target
   */
  constructor(
    private readonly targetPort: () => number,
    private readonly overhear?: () => (piece: Buffer) => void,
  ) {}

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => void this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as net.AddressInfo).port;
    return this.#port;
  }

  async set(state: NetworkState): Promise<void> {
    const wasListening = this.#state !== 'refused';
    this.#state = state;
    for (const pair of this.#pairs) enter(pair, state);
    if (state === 'refused') this.#server.close();
    else if (!wasListening) await this.listen();
  }

  /** Resets what is open; new connections are carried as before. */
  reset(): void {
    for (const pair of this.#pairs) resetPair(pair);
  }

  close(): void {
    this.reset();
    this.#server.close();
  }

  #join(near: net.Socket): void {
    if (this.#state === 'cut') return void near.resetAndDestroy();
    const isBlackholed = this.#state === 'blackholed';
    const far = isBlackholed ? undefined : net.connect(this.targetPort(), '127.0.0.1');
    const pair: Pair = { near, far, isDead: isBlackholed, isMute: false };
    this.#pairs.add(pair);
    near.on('error', () => {});
    near.on('close', () => this.#pairs.delete(pair));
    if (!far) return undefined;
    far.on('error', () => {});
    const heard = this.overhear?.();
    if (heard) near.on('data', heard);
    this.#carry(pair, near, far);
    this.#carry(pair, far, near);
    enter(pair, this.#state);
    return undefined;
  }

  #carry(pair: Pair, from: net.Socket, to: net.Socket): void {
    from.setNoDelay();
    const isLost = () => pair.isDead || (pair.isMute && from === pair.far);
    const carry = (act: () => unknown) => {
      const actUnlessLost = () => void (isLost() || act());
      // Equal delays keep the order.
      if (this.#state === 'slow') setTimeout(actUnlessLost, SLOW_MS);
      else actUnlessLost();
    };
    from.on('data', (chunk: Buffer) => carry(() => to.write(chunk)));
    from.on('end', () => carry(() => to.end()));
    from.on('close', () => {
      // A dead connection does not tell the other side either.
      if (!isLost()) to.destroy();
    });
  }
}

function enter(pair: Pair, state: NetworkState): void {
  if (state === 'cut') return resetPair(pair);
  if (state === 'blackholed') pair.isDead = true;
  if (state === 'one-way') pair.isMute = true;
  for (const socket of [pair.near, pair.far])
    if (state === 'silent' || pair.isDead) socket?.pause();
    else socket?.resume();
}

function resetPair({ near, far }: Pair): void {
  near.resetAndDestroy();
  far?.resetAndDestroy();
}

import net from 'node:net';

type State = 'open' | 'cut' | 'slow' | 'silent';

const SLOW_MS = 400;

/** A stretch of network between two programs: a TCP proxy that can be cut, slowed down and silenced. */
export class Network {
  readonly #server = net.createServer((socket) => this.#join(socket));
  readonly #pairs = new Set<readonly [net.Socket, net.Socket]>();
  #state: State = 'open';

  /**
   * @param targetPort asked for each connection, because a server may come back elsewhere
   * @param overhear asked for each connection: what it gives hears all that is carried to the target
   */
  constructor(
    private readonly targetPort: () => number,
    private readonly overhear?: () => (piece: Buffer) => void,
  ) {}

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => void this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as net.AddressInfo).port;
  }

  /** - `cut` resets what is open and refuses the rest; `silent` keeps everything and carries nothing until it is `open`. */
  set(state: State): void {
    this.#state = state;
    for (const pair of this.#pairs)
      for (const socket of pair) {
        if (state === 'cut') socket.resetAndDestroy();
        else if (state === 'silent') socket.pause();
        else socket.resume();
      }
  }

  close(): void {
    this.set('cut');
    this.#server.close();
  }

  #join(near: net.Socket): void {
    if (this.#state === 'cut') return void near.resetAndDestroy();
    const far = net.connect(this.targetPort(), '127.0.0.1');
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    const heard = this.overhear?.();
    if (heard) near.on('data', heard);
    for (const [from, to] of [pair, [far, near]] as const) {
      from.setNoDelay();
      from.on('data', (chunk: Buffer) => this.#carry(() => to.write(chunk)));
      from.on('end', () => this.#carry(() => to.end()));
      from.on('error', () => {});
      from.on('close', () => {
        to.destroy();
        this.#pairs.delete(pair);
      });
      if (this.#state === 'silent') from.pause();
    }
    return undefined;
  }

  /** Equal delays keep the order. */
  #carry(act: () => unknown): void {
    if (this.#state === 'slow') setTimeout(act, SLOW_MS);
    else act();
  }
}

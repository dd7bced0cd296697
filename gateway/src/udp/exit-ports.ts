import type { Exit } from '../exits/exit.ts';
import { TunnelFailure } from '../statuses.ts';
import type { DatagramEvents, DatagramPort } from './udp-socket.ts';

/** The sockets of an association towards destinations: one for each address family, opened when it is first needed. */
export class ExitPorts {
  readonly #byFamily = new Map<4 | 6, Promise<DatagramPort>>();
  readonly #opened: DatagramPort[] = [];
  #isClosed = false;

  constructor(
    private readonly exit: Exit,
    private readonly events: DatagramEvents,
  ) {}

  /**
   * @param address a destination's address
   * @throws TunnelFailure
   */
  to(address: Uint8Array): Promise<DatagramPort> {
    const family = address.length === 4 ? 4 : 6;
    const known = this.#byFamily.get(family);
    if (known) return known;
    const opening = this.#open(family);
    this.#byFamily.set(family, opening);
    return opening;
  }

  close(): void {
    this.#isClosed = true;
    for (const port of this.#opened) port.close();
  }

  async #open(family: 4 | 6): Promise<DatagramPort> {
    try {
      const port = await this.exit.openUdp(family);
      if (this.#isClosed) {
        port.close();
        throw new TunnelFailure('client-gone');
      }
      this.#opened.push(port);
      port.open(this.events);
      return port;
    } catch (error) {
      this.#byFamily.delete(family); // It may work later, for example when descriptors are free again.
      throw error;
    }
  }
}

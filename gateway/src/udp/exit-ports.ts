import type { DialAbort, Exit, ExitPort, ExitPortEvents } from '../exits/exit.ts';
import { TunnelFailure } from '../statuses.ts';

/** The ports of an association towards destinations: one for all, or one for each address family when it is first needed. */
export class ExitPorts {
  readonly #byFamily = new Map<4 | 6, Promise<ExitPort>>();
  readonly #opened: ExitPort[] = [];
  #isClosed = false;

  constructor(
    private readonly exit: Exit,
    private readonly abort: DialAbort,
    private readonly events: ExitPortEvents,
  ) {}

  /**
   * Opens the port of an exit that has one for all destinations, because it may refuse it.
   * @throws TunnelFailure
   */
  async openFirst(): Promise<void> {
    if (this.exit.udp === 'one-port') await this.#portFor(4);
  }

  /**
   * @param address a destination's address
   * @throws TunnelFailure
   */
  to(address: Uint8Array): Promise<ExitPort> {
    return this.#portFor(this.exit.udp === 'one-port' || address.length === 4 ? 4 : 6);
  }

  close(): void {
    this.#isClosed = true;
    for (const port of this.#opened) port.close();
  }

  #portFor(family: 4 | 6): Promise<ExitPort> {
    const known = this.#byFamily.get(family);
    if (known) return known;
    const opening = this.#open(family);
    this.#byFamily.set(family, opening);
    return opening;
  }

  async #open(family: 4 | 6): Promise<ExitPort> {
    try {
      const port = await this.exit.openUdp(family, this.abort);
      if (this.#isClosed) {
        port.close();
        throw new TunnelFailure('client-closed');
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

import { createSocket } from 'node:dgram';

interface AddressWatchSettings {
  /** 0: never lost. */
  readonly lostAfterMs: number;
  /** The addresses of this host's interfaces, in canonical text. */
  readonly hostAddresses: () => ReadonlySet<string>;
  readonly isBindable?: (address: string) => Promise<boolean>;
  readonly now?: () => number;
}

/**
 * Notices that an exit's address has gone from this machine, as when a modem is unplugged. An address is missing when no
 * interface has it and nothing can be bound to it either: 127.0.0.2 and routed prefixes are on no interface and work.
 */
export class AddressWatch {
  #missingSince: number | undefined;
  readonly #isBindable: (address: string) => Promise<boolean>;
  readonly #now: () => number;

  constructor(
    private readonly address: string,
    private readonly settings: AddressWatchSettings,
  ) {
    this.#isBindable = settings.isBindable ?? isBindable;
    this.#now = settings.now ?? (() => performance.now());
  }

  async check(): Promise<void> {
    const isHere = this.settings.hostAddresses().has(this.address) || (await this.#isBindable(this.address));
    if (isHere) this.#missingSince = undefined;
    else this.#missingSince ??= this.#now();
  }

  /** Missing at every look for long enough. */
  get isLost(): boolean {
    const { lostAfterMs } = this.settings;
    const since = this.#missingSince;
    return since !== undefined && lostAfterMs > 0 && this.#now() - since >= lostAfterMs;
  }
}

/** Only EADDRNOTAVAIL means that the address is not here; a lack of descriptors or rights says nothing about it. */
export function isBindable(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    const settle = (is: boolean) => {
      socket.close();
      resolve(is);
    };
    socket.once('error', (error) => settle(!('code' in error && error.code === 'EADDRNOTAVAIL')));
    socket.bind({ address, port: 0, exclusive: true }, () => settle(true));
  });
}

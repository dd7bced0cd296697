import { createSocket } from 'node:dgram';

interface ExitWatchSettings {
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
export class ExitWatch {
  readonly #missingSince = new Map<string, number>();
  readonly #isBindable: (address: string) => Promise<boolean>;
  readonly #now: () => number;

  constructor(private readonly settings: ExitWatchSettings) {
    this.#isBindable = settings.isBindable ?? isBindable;
    this.#now = settings.now ?? (() => performance.now());
  }

  /** Looks at these addresses now and forgets all others. */
  async check(addresses: ReadonlySet<string>): Promise<void> {
    const present = this.settings.hostAddresses();
    for (const address of this.#missingSince.keys()) if (!addresses.has(address)) this.#missingSince.delete(address);
    for (const address of addresses) {
      if (present.has(address) || (await this.#isBindable(address))) this.#missingSince.delete(address);
      else if (!this.#missingSince.has(address)) this.#missingSince.set(address, this.#now());
    }
  }

  /** Missing at every look for long enough. */
  isLost(address: string | null): boolean {
    const { lostAfterMs } = this.settings;
    const since = address === null ? undefined : this.#missingSince.get(address);
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

import { createSocket } from 'node:dgram';

interface AddressWatchSettings {
  /** 0: the exit is never lost. */
  readonly lostAfterMs: number;
  /** The addresses of this host's interfaces, in canonical text. */
  readonly hostAddresses: () => ReadonlySet<string>;
  readonly isBindable?: (address: string) => Promise<boolean>;
  readonly now?: () => number;
}

/**
 * Detects that an exit's address was removed from this host, for example by unplugging a modem. An address is missing if no
 * interface has it and it cannot be bound either: 127.0.0.2 and routed prefixes are on no interface but work.
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
    const isPresent = this.settings.hostAddresses().has(this.address) || (await this.#isBindable(this.address));
    if (isPresent) this.#missingSince = undefined;
    else this.#missingSince ??= this.#now();
  }

  /** Missing at every check for `lostAfterMs`. */
  get isLost(): boolean {
    const { lostAfterMs } = this.settings;
    const since = this.#missingSince;
    return since !== undefined && lostAfterMs > 0 && this.#now() - since >= lostAfterMs;
  }
}

/** Only EADDRNOTAVAIL means that the address is missing; missing descriptors or permissions do not. */
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

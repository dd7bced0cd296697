import { canonicalAddress } from '@cellhop/contract/network';
import type { PortRule } from '@cellhop/contract/port-rules.values';
import { addressText, type Target } from '../protocol/host.ts';
import { encodeUdpHeader } from '../protocol/socks5.ts';
import type { DatagramTarget, ExitPort } from '../exits/exit.ts';
import type { Sender } from './udp-socket.ts';

/** Where datagrams for a destination go. */
export interface Route extends DatagramTarget {
  readonly address: Uint8Array;
  readonly exit: ExitPort;
  /** The same address and port as a key of the table. */
  readonly key: string;
  /** The revision of the guard at the last check of the address. */
  checkedAt: number | undefined;
  /** The port rule at that check. */
  checkedPorts: PortRule | undefined;
  isAllowed: boolean;
  /** By the operator. */
  isRefused: boolean;
}

export function createRoute(exit: ExitPort, address: Uint8Array, port: number): Route {
  const text = addressText(address);
  const key = toKey({ address: canonicalAddress(text) ?? text, port });
  const header = encodeUdpHeader(address, port);
  return {
    address,
    port,
    text,
    exit,
    key,
    header,
    checkedAt: undefined,
    checkedPorts: undefined,
    isAllowed: false,
    isRefused: false,
  };
}

/** A destination of one association: what a client wrote into the headers of its datagrams. */
export interface Destination {
  readonly header: string;
  readonly target: Target;
  /** Undefined while its name is resolved or the socket to it opens. */
  route: Route | undefined;
  /** Datagrams that wait for the route. */
  readonly waiting: Buffer[];
  sentAt: number;
}

const toKey = ({ address, port }: Sender) => `${address} ${port}`;

/**
 * The destinations of an association, at most `max`: the one to which the client has sent nothing for longest is evicted.
 * Only they may send to the client.
 */
export class Destinations {
  /** By header, ordered by the time of the last datagram. */
  readonly #byHeader = new Map<string, Destination>();
  readonly #byAddress = new Map<string, Destination>();
  #latest: Destination | undefined;
  /** The last one that was looked up, with its key. */
  #latestSender = { address: '', port: 0, key: '' };

  constructor(private readonly max: number) {}

  get all(): Iterable<Destination> {
    return this.#byHeader.values();
  }

  /** The header of the last destination, if a datagram starts with it: usually it does, and reading a header costs more. */
  repeatedHeader(datagram: Uint8Array): string | undefined {
    const header = this.#latest?.header;
    if (header === undefined || datagram.length < header.length) return undefined;
    for (let index = 0; index < header.length; index += 1)
      if (datagram[index] !== header.charCodeAt(index)) return undefined;
    return header;
  }

  /** A destination that was not used since `sentAfter` is forgotten, because its name may have another address by now. */
  find(header: string, sentAfter: number): Destination | undefined {
    const found = this.#byHeader.get(header);
    if (!found?.route || found.sentAt >= sentAfter) return found;
    this.delete(found);
    return undefined;
  }

  /** @returns the destination that was evicted */
  add(destination: Destination): Destination | undefined {
    this.#byHeader.set(destination.header, destination);
    this.#latest = destination;
    if (this.#byHeader.size <= this.max) return undefined;
    const [oldest] = this.#byHeader.values();
    if (oldest) this.delete(oldest);
    return oldest;
  }

  delete(destination: Destination): void {
    if (this.#byHeader.get(destination.header) === destination) this.#byHeader.delete(destination.header);
    const { route } = destination;
    if (route && this.#byAddress.get(route.key) === destination) this.#byAddress.delete(route.key);
  }

  /** The client sends to the destination now, so its replies may pass from now on. */
  sent(destination: Destination, { key }: Route, now: number): void {
    destination.sentAt = now;
    if (this.#byAddress.get(key) !== destination) this.#byAddress.set(key, destination);
    if (this.#latest === destination) return;
    this.#latest = destination;
    this.#byHeader.delete(destination.header);
    this.#byHeader.set(destination.header, destination);
  }

  /** The destination with this address and port. */
  withAddress(sender: Sender): Destination | undefined {
    const { address, port } = sender;
    if (this.#latestSender.port !== port || this.#latestSender.address !== address)
      this.#latestSender = { address, port, key: toKey(sender) };
    return this.#byAddress.get(this.#latestSender.key);
  }
}

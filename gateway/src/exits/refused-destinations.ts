import ipaddr from 'ipaddr.js';
import { reachedAddresses } from '../destination-policy.ts';
import type { Host } from '../protocol/host.ts';

/** What a flow goes to: the host that its client named, and the address that was dialled. */
export interface Destination {
  readonly host: Host;
  readonly address: Uint8Array | undefined;
}

interface AddressRange {
  readonly first: Uint8Array;
  readonly last: Uint8Array;
}

/** A name alone, or with everything below it. */
type Reach = 'alone' | 'below';

/**
 * The destinations that the operator refuses, as the control plane sends them. A name costs one look-up for each label, an address a search in
 * sorted ranges, whatever the length of the list.
 */
export class RefusedDestinations {
  #revision = '';
  #generation = 0;
  #size = 0;
  #names: ReadonlyMap<string, Reach> = new Map();
  #ipv4: readonly AddressRange[] = [];
  #ipv6: readonly AddressRange[] = [];
  /** Called after each change. */
  onChanged: () => void = () => {};

  /** That of the control plane; empty before the first list. */
  get revision(): string {
    return this.#revision;
  }

  /** Counts the changes in this run. */
  get generation(): number {
    return this.#generation;
  }

  get size(): number {
    return this.#size;
  }

  /** Entries of a kind that only a newer version knows are left out. */
  replace(revision: string, entries: readonly string[]): void {
    const networks = entries.filter((entry) => entry.includes('/')).flatMap(toRange);
    this.#names = toNames(entries.filter((entry) => !entry.includes('/')));
    this.#ipv4 = merged(networks.filter(({ first }) => first.length === 4));
    this.#ipv6 = merged(networks.filter(({ first }) => first.length === 16));
    this.#size = entries.length;
    this.#revision = revision;
    this.#generation += 1;
    this.onChanged();
  }

  refuses({ host, address }: Destination): boolean {
    if (host.kind === 'name' && this.refusesName(host.name)) return true;
    return address !== undefined && this.refusesAddress(address);
  }

  /** @param name canonical */
  refusesName(name: string): boolean {
    if (this.#names.size === 0) return false;
    if (this.#names.has(name)) return true;
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1))
      if (this.#names.get(name.slice(dot + 1)) === 'below') return true;
    return false;
  }

  /** Also if it leads to an IPv4 address of a refused network, as those of NAT64 do. */
  refusesAddress(address: Uint8Array): boolean {
    if (this.#ipv4.length === 0 && this.#ipv6.length === 0) return false;
    return reachedAddresses(address).some((reached) =>
      isWithin(reached, reached.length === 4 ? this.#ipv4 : this.#ipv6),
    );
  }
}

function toNames(entries: readonly string[]): Map<string, Reach> {
  const names = new Map<string, Reach>();
  for (const entry of entries) {
    if (entry.startsWith('.')) names.set(entry.slice(1), 'below');
    else if (!names.has(entry)) names.set(entry, 'alone');
  }
  return names;
}

function toRange(text: string): AddressRange[] {
  if (!ipaddr.isValidCIDR(text)) return [];
  const [address, bits] = ipaddr.parseCIDR(text);
  const bytes = address.toByteArray();
  const mask = bytes.map((_, index) => (0xff_00 >> Math.min(8, Math.max(0, bits - index * 8))) & 0xff);
  const first = Uint8Array.from(bytes, (byte, index) => byte & mask[index]!);
  return [{ first, last: first.map((byte, index) => byte | (~mask[index]! & 0xff)) }];
}

/** Sorted, and none within another, so that one search is enough. Ranges of networks do not overlap otherwise. */
function merged(ranges: readonly AddressRange[]): AddressRange[] {
  const found: AddressRange[] = [];
  const sorted = ranges.toSorted(
    (one, other) => Buffer.compare(one.first, other.first) || Buffer.compare(other.last, one.last),
  );
  for (const range of sorted) {
    const before = found.at(-1);
    if (before === undefined || Buffer.compare(range.first, before.last) > 0) found.push(range);
  }
  return found;
}

/** A binary search for the last range that does not begin after the address. */
function isWithin(address: Uint8Array, ranges: readonly AddressRange[]): boolean {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Buffer.compare(ranges[middle]!.first, address) <= 0) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low - 1];
  return range !== undefined && Buffer.compare(address, range.last) <= 0;
}

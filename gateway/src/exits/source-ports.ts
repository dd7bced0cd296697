import type { PortRange } from '@cellhop/contract/network';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Most services listen on lower ports. */
const FIRST_PORT = 10_240;
const LAST_PORT = 65_535;
/** The minimum number of ports outside the ephemeral range; with fewer, ports would be reused too soon. */
const PORTS_MIN = 8_192;
/** The default: the union of the ranges of Linux and of other systems. */
const DEFAULT_EPHEMERAL_PORTS: PortRange = { first: 32_768, last: LAST_PORT };

/**
 * Allocates source ports for dials from a given address. With `bind(address, 0)` the system searches its whole range while
 * old connections are in TIME_WAIT, which takes longer the more tunnels there were. Instead, each address cycles through
 * all ports, so the time until a port is reused is maximal. The order is random, so that a destination cannot learn how
 * many tunnels others open, nor predict the next port (RFC 6056).
 */
export class SourcePorts {
  readonly #ports: Uint16Array;
  /** The position in `ports` for each local address of an exit. */
  readonly #positions = new Map<string, number>();

  constructor(reserved: readonly PortRange[], ephemeral: PortRange = readEphemeralPorts()) {
    const isFree = (port: number) => !reserved.some((range) => isWithin(port, range));
    const usable = Array.from({ length: LAST_PORT - FIRST_PORT + 1 }, (_, index) => FIRST_PORT + index).filter(isFree);
    const outside = usable.filter((port) => !isWithin(port, ephemeral));
    // A very wide ephemeral range leaves too few other ports; then a port in use costs one more attempt.
    this.#ports = shuffled(outside.length >= PORTS_MIN ? outside : usable);
  }

  next(address: string): number {
    const position = this.#positions.get(address) ?? randomInt(this.#ports.length);
    this.#positions.set(address, (position + 1) % this.#ports.length);
    return this.#ports[position]!;
  }
}

export const isWithin = (port: number, { first, last }: PortRange) => port >= first && port <= last;

function shuffled(ports: readonly number[]): Uint16Array {
  const order = Uint16Array.from(ports);
  for (let index = order.length - 1; index > 0; index -= 1) {
    const other = randomInt(index + 1);
    [order[index], order[other]] = [order[other]!, order[index]!];
  }
  return order;
}

export function readEphemeralPorts(file = '/proc/sys/net/ipv4/ip_local_port_range'): PortRange {
  try {
    const [first, last] = readFileSync(file, 'latin1').trim().split(/\s+/).map(Number);
    if (first !== undefined && last !== undefined && first <= last) return { first, last };
  } catch {
    // Only Linux has the file.
  }
  return DEFAULT_EPHEMERAL_PORTS;
}

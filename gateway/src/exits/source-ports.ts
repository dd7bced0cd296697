import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Inclusive. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** Below it are the ports on which most services listen. */
const FIRST_PORT = 10_240;
const LAST_PORT = 65_535;
/** So many must be left outside the ephemeral range; with fewer, a port would come back too soon. */
const PORTS_MIN = 8_192;
/** Used where the system does not tell: the ranges of Linux and of other systems together. */
const USUAL_EPHEMERAL_PORTS: PortRange = { first: 32_768, last: LAST_PORT };

/**
 * The source ports of connections that leave from a given address. The system would choose them by `bind(address, 0)`,
 * which searches its whole range while old connections are in TIME_WAIT, and so takes longer the more tunnels there
 * were. All ports are used in turn instead, for each address apart, so a port rests as long as possible before it comes
 * back. The order is random: a destination must not learn how many tunnels others open, nor guess the next port (RFC 6056).
 */
export class SourcePorts {
  readonly #ports: Uint16Array;
  /** One number for each address of this host that exits use. */
  readonly #positions = new Map<string, number>();

  constructor(reserved: readonly PortRange[], ephemeral: PortRange = readEphemeralPorts()) {
    const isFree = (port: number) => !reserved.some((range) => isWithin(port, range));
    const usable = Array.from({ length: LAST_PORT - FIRST_PORT + 1 }, (_, index) => FIRST_PORT + index).filter(isFree);
    const outside = usable.filter((port) => !isWithin(port, ephemeral));
    // An ephemeral range that was made very wide leaves nothing else; a port in use then costs one more try.
    this.#ports = shuffled(outside.length >= PORTS_MIN ? outside : usable);
  }

  next(address: string): number {
    const position = this.#positions.get(address) ?? randomInt(this.#ports.length);
    this.#positions.set(address, (position + 1) % this.#ports.length);
    return this.#ports[position]!;
  }
}

const isWithin = (port: number, { first, last }: PortRange) => port >= first && port <= last;

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
  return USUAL_EPHEMERAL_PORTS;
}

/** Between which bounds the gateway's counts must lie, by what clients and origins have seen. */
import type { Trial } from './judge.ts';
import type { Measured } from './node-process.ts';
import type { OriginConnection } from './origins.ts';

/** What Node's HTTP client adds to a head: `Connection`, and a length of zero. */
const ADDED_HEAD_BYTES = 64;
const TUNNELS = ['socks5', 'http-connect'];

type Counted = 'upload of tunnels' | 'download of tunnels' | 'upload of requests' | 'download of requests';

interface Range {
  min: number;
  max: number;
}

export class Totals {
  readonly #ranges: Record<Counted, Range> = {
    'upload of tunnels': { min: 0, max: 0 },
    'download of tunnels': { min: 0, max: 0 },
    'upload of requests': { min: 0, max: 0 },
    'download of requests': { min: 0, max: 0 },
  };

  /** Clients that have stayed until a tunnel of theirs may have been idle. */
  #idleMax = 0;

  constructor(private readonly tunnelIdleMs: number) {}

  addClient({ transcript }: Trial): void {
    if (transcript!.milliseconds >= this.tunnelIdleMs) this.#idleMax += 1;
  }

  /** A connection of a trial whose client has ended. */
  add({ reading, plan, transcript }: Trial, { received, writtenBytes, end, hasReset }: OriginConnection): void {
    const isWhole = end === 'ended' && !hasReset;
    if (reading.protocol === 'requests') {
      const sentBytes = Math.max(received.length, plan.bytes.length + ADDED_HEAD_BYTES);
      widen(this.#ranges['upload of requests'], received.length, isWhole ? received.length : sentBytes);
      widen(this.#ranges['download of requests'], 0, writtenBytes);
      return;
    }
    const gotBytes = payloadBytes(transcript!.received);
    const isClean = transcript!.end === 'ended';
    widen(this.#ranges['upload of tunnels'], received.length, isWhole ? received.length : reading.payload.length);
    widen(this.#ranges['download of tunnels'], gotBytes, isClean ? gotBytes : writtenBytes);
  }

  faults({ values }: Measured): string[] {
    const idle = values['gateway_tunnel_ends_total idle'] ?? 0;
    if (idle > this.#idleMax)
      return [`${idle} tunnels were idle until their time was over, and ${this.#idleMax} clients`];
    const counted = (direction: string, protocols: readonly string[]) =>
      protocols.reduce((sum, protocol) => sum + (values[`gateway_bytes_total ${direction} ${protocol}`] ?? 0), 0);
    const counts: Record<Counted, number> = {
      'upload of tunnels': counted('toExit', TUNNELS),
      'download of tunnels': counted('toClient', TUNNELS),
      'upload of requests': counted('toExit', ['http-request']),
      'download of requests': counted('toClient', ['http-request']),
    };
    return Object.entries(this.#ranges).flatMap(([name, { min, max }]) => {
      const bytes = counts[name as Counted];
      return bytes >= min && bytes <= max ? [] : [`${name}: ${bytes} bytes are counted, not ${min} to ${max}`];
    });
  }
}

/** Behind the reply of SOCKS5 or the answer to CONNECT. */
function payloadBytes(received: Buffer): number {
  const headBytes = received[0] === 5 ? 14 : received.indexOf('\r\n\r\n') + 4;
  return Math.max(0, received.length - headBytes);
}

function widen(range: Range, min: number, max: number): void {
  range.min += min;
  range.max += max;
}

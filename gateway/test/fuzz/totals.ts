/** The bounds of the gateway's byte counts, derived from what clients and origins have transferred. */
import type { Trial } from './oracle.ts';
import type { Measurement } from './node-process.ts';
import type { OriginConnection } from './origins.ts';

/** Node's HTTP client adds `Connection` and `Content-Length: 0` to a head. */
const ADDED_HEAD_BYTES = 64;
const TUNNELS = ['socks4', 'socks5', 'http-connect'];

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

  /** The number of clients that were connected long enough for an idle timeout. */
  #idleMax = 0;

  constructor(private readonly tunnelIdleMs: number) {}

  addClient({ transcript }: Trial): void {
    if (transcript!.milliseconds >= this.tunnelIdleMs) this.#idleMax += 1;
  }

  /** Adds an origin connection of a trial whose client has ended. */
  add({ parsed, plan, transcript }: Trial, { received, writtenBytes, end, hasReset }: OriginConnection): void {
    const isComplete = end === 'ended' && !hasReset;
    if (parsed.protocol === 'requests') {
      const sentBytes = Math.max(received.length, plan.bytes.length + ADDED_HEAD_BYTES);
      widen(this.#ranges['upload of requests'], received.length, isComplete ? received.length : sentBytes);
      widen(this.#ranges['download of requests'], 0, writtenBytes);
      return;
    }
    const deliveredBytes = payloadBytes(transcript!.received);
    const isClean = transcript!.end === 'ended';
    widen(this.#ranges['upload of tunnels'], received.length, isComplete ? received.length : parsed.payload.length);
    widen(this.#ranges['download of tunnels'], deliveredBytes, isClean ? deliveredBytes : writtenBytes);
  }

  faults({ values }: Measurement): string[] {
    const idle = values['gateway_tunnel_ends_total idle'] ?? 0;
    if (idle > this.#idleMax) return [`${idle} tunnels ended by the idle timeout, at most ${this.#idleMax} expected`];
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
      return bytes >= min && bytes <= max ? [] : [`${name}: ${bytes} bytes were counted, expected ${min} to ${max}`];
    });
  }
}

/** The bytes after the SOCKS reply or the response to CONNECT. */
function payloadBytes(received: Buffer): number {
  const socksBytes = received[0] === 5 ? 14 : received[0] === 0 ? 8 : undefined;
  const headBytes = socksBytes ?? received.indexOf('\r\n\r\n') + 4;
  return Math.max(0, received.length - headBytes);
}

function widen(range: Range, min: number, max: number): void {
  range.min += min;
  range.max += max;
}

import type { HeaderFault } from '../protocol/socks5.ts';

/** Why a datagram was dropped. */
export type Drop = HeaderFault | (typeof otherReasons)[number];

const otherReasons = [
  /** Not from the client's address, or from another port of it. */
  'wrong-source',
  /** From an address to which the client has not sent anything lately. */
  'unknown-sender',
  /** Its name has no address, the exit cannot reach it, or too many datagrams wait for such answers. */
  'unresolved',
  'destination-prohibited',
  'no-credit',
  'rate-limit',
  'queue-full',
  /** With its header it exceeds the largest datagram. */
  'too-large',
  'network-error',
] as const;

/** Plain numbers, because they change with each datagram; copied into the metrics at each scrape. */
export function createDropCounts(): Record<Drop, number> {
  const reasons: Drop[] = ['malformed', 'fragment', ...otherReasons];
  return Object.fromEntries(reasons.map((reason) => [reason, 0])) as Record<Drop, number>;
}

/**
 * Names that the internet does not have. They are never sent to a name server: it could be one of this node's own network, and then its
 * answers would describe that network to customers.
 */

/** RFC 6761 (invalid, localhost), RFC 6762 with its appendix G, RFC 7686, and the reserved `internal`. */
const TOP_LEVEL: ReadonlySet<string> = new Set(
  'corp home internal intranet invalid lan local localhost onion private'.split(' '),
);

/** The zones of private and other local addresses (RFC 6303, RFC 7793), and of home networks (RFC 8375). */
const UNDER_ARPA: readonly string[] = [
  'home.arpa',
  ...reverseIpv4('0 10 127 254.169 168.192 2.0.192 100.51.198 113.0.203 255.255.255.255'.split(' ')),
  ...reverseIpv4(numbers(16, 31).map((second) => `${second}.172`)),
  ...reverseIpv4(numbers(64, 127).map((second) => `${second}.100`)),
  // Unspecified, loopback, unique local, link-local, and documentation.
  ...[
    `0${'.0'.repeat(31)}`,
    `1${'.0'.repeat(31)}`,
    'c.f',
    'd.f',
    '8.e.f',
    '9.e.f',
    'a.e.f',
    'b.e.f',
    '8.b.d.0.1.0.0.2',
  ].map((zone) => `${zone}.ip6.arpa`),
];

/** @param name in lower case, without a dot at its end */
export function isSpecialName(name: string): boolean {
  const topLevel = name.slice(name.lastIndexOf('.') + 1);
  if (topLevel !== 'arpa') return TOP_LEVEL.has(topLevel);
  return UNDER_ARPA.some((zone) => name === zone || name.endsWith(`.${zone}`));
}

function reverseIpv4(zones: readonly string[]): string[] {
  return zones.map((zone) => `${zone}.in-addr.arpa`);
}

function numbers(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

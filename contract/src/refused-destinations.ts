/** Destinations that the operator refuses to all customers: a name, a name with everything below it, or a network. */
import { parseNetwork } from './network.ts';

/** Of all lists together; nodes keep them in memory and get all of them after each change. */
export const REFUSED_DESTINATIONS_MAX = 50_000;
/** So that a node on a slow line reads a page within the limit of a call. */
export const REFUSED_DESTINATIONS_PAGE = 1000;
/** A wider network would take a large part of the internet from all customers, which nobody means. */
const PREFIX_BITS_MIN = { ipv4: 8, ipv6: 16 } as const;
const NAME_LENGTH_MAX = 253;
const LABEL = /^(?!-)[\w-]{1,63}(?<!-)$/;

/**
 * Reads `example.com`, `.example.com` or `*.example.com` (the name and everything below it), an address, a network in CIDR notation, and the
 * host of a URL.
 * @returns the canonical text: `example.com`, `.example.com` or `203.0.113.0/24`; undefined for other text
 */
export function parseRefusedDestination(text: string): string | undefined {
  const host = hostOf(text.trim());
  const network = parseNetwork(host.replace(/^\[(.*)\]$/, '$1'));
  if (network) return network.prefixBits < PREFIX_BITS_MIN[network.family] ? undefined : network.text;
  const isSuffix = /^\*?\./.test(host);
  const name = canonicalName(host.replace(/^\*?\./, ''));
  if (name === undefined) return undefined;
  if (isSuffix) return `.${name}`;
  // A name of one label is no public one, but a mistake.
  return name.includes('.') ? name : undefined;
}

/** A line of a list without comments. In lines of hosts files, `0.0.0.0 ads.example`, the name is last. @returns empty: nothing is in it */
export function destinationOfLine(line: string): string {
  const text = line.replace(/(?:^|\s)[#!;].*$/, '').trim();
  return text.replace(/^(?:0\.0\.0\.0|127\.0\.0\.1|::1?)\s+(?=\S+$)/, '');
}

function hostOf(text: string): string {
  if (!/^https?:\/\//i.test(text)) return text;
  return URL.canParse(text) ? new URL(text).hostname : '';
}

/** As gateways write names: lower case, without a dot at the end, in ASCII. */
function canonicalName(text: string): string | undefined {
  const url = `http://${text}/`;
  if (!/^(?:[\w.-]|\P{ASCII})+$/u.test(text) || !URL.canParse(url)) return undefined;
  const name = new URL(url).hostname.replace(/\.$/, '');
  const labels = name.split('.');
  // The parser reads a name that ends in a number as an address, in forms that parseNetwork does not accept.
  const isName = name.length <= NAME_LENGTH_MAX && labels.every((label) => LABEL.test(label));
  return isName && !/^\d+$/.test(labels.at(-1)!) ? name : undefined;
}

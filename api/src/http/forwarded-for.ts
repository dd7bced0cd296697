/** `X-Forwarded-For` as proxies write it: with ports (`203.0.113.7:4711`, `[2001:db8::7]:4711`), quotes and leading zeros. */
import { canonicalAddress } from '@cellhop/contract/network';

/** Addresses in their canonical form; what is none stays as it is. */
export function readForwardedFor(header: string): string {
  return header
    .split(',')
    .map((entry) => readAddress(entry.trim().replace(/^"(.*)"$/, '$1')) ?? entry)
    .join(',');
}

const IPV4_AND_PORT = /^((?:\d{1,4}\.){3}\d{1,4})(?::\d{1,5})?$/;
const BRACKETS_AND_PORT = /^\[([^\]]*)\](?::\d{1,5})?$/;

function readAddress(text: string): string | undefined {
  const ipv4 = IPV4_AND_PORT.exec(text)?.[1];
  if (ipv4 !== undefined) return canonicalAddress(ipv4.split('.').map(Number).join('.'));
  return canonicalAddress(BRACKETS_AND_PORT.exec(text)?.[1] ?? text);
}

import { canonicalAddress, clientNetwork } from '@cellhop/contract/network';

/** Where a request comes from: for rate limits, the list of sessions and the audit log. */
export interface Requester {
  /** Canonical; a name that no other request has where the address is not known. */
  ip: string;
  userAgent: string | undefined;
  requestId: string;
}

/** @returns null if the text is no address. IPv4-mapped IPv6 addresses become IPv4. */
export function validAddress({ ip }: Requester): string | null {
  return canonicalAddress(ip) ?? null;
}

/** The network as gateways count clients; null if the text is no address. */
export function toNetwork(requester: Requester): string | null {
  const address = validAddress(requester);
  return address === null ? null : clientNetwork(address);
}

export const UNKNOWN_DEVICE = 'Unknown device';

/** The first match wins: Edge and Opera also claim to be Chrome, and every browser claims to be Safari. */
const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\b(?:Edg|EdgA|EdgiOS|Edge)\//, 'Edge'],
  [/\b(?:OPR|OPT|Opera|OPiOS)\//, 'Opera'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/^(?:python-requests|Python-urllib|python-httpx|aiohttp)\b|^Python\//i, 'Python'],
  [/^Wget\//, 'Wget'],
  [/^Go-http-client\//, 'Go'],
  [/^(?:axios|node-fetch|undici|got)\b/, 'Node.js'],
  [/^okhttp\//, 'OkHttp'],
  [/^(?:Java|Apache-HttpClient)\//, 'Java'],
  [/^PostmanRuntime\//, 'Postman'],
  [/^HTTPie\//, 'HTTPie'],
  [/^GuzzleHttp\//, 'PHP'],
];
const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\b(?:Macintosh|Mac OS X)\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];
/** Longer than the user agent of any browser. */
const USER_AGENT_LENGTH_MAX = 512;

/** For example "Firefox on Windows". Without versions, so an update does not change the device. */
export function deviceName({ userAgent = '' }: Requester): string {
  const text = userAgent.slice(0, USER_AGENT_LENGTH_MAX);
  const find = (list: typeof browsers) => list.find(([pattern]) => pattern.test(text))?.[1];
  const [browser, system] = [find(browsers), find(systems)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? UNKNOWN_DEVICE;
}

import { canonicalAddress } from '@cellhop/contract/network';

/** Where a request comes from: for limits, for the user's list of sessions, for the audit log. */
export interface Client {
  /** As the connection, or a trusted proxy, tells it; a proxy may tell nonsense. */
  ip: string;
  userAgent: string | undefined;
  requestId: string;
}

/** @returns null for text that is not an address; an IPv4 address that came over IPv6 is an IPv4 address */
export function addressOf({ ip }: Client): string | null {
  return canonicalAddress(ip) ?? null;
}

export const UNKNOWN_DEVICE = 'Unknown device';

/** The first that matches wins: Edge and Opera also call themselves Chrome, and every browser calls itself Safari. */
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
  [/^(?:python-requests|Python-urllib|python-httpx|aiohttp)\b/i, 'Python'],
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
/** Longer than any browser's; what follows is somebody's joke. */
const USER_AGENT_LENGTH_MAX = 512;

/** Such as "Firefox on Windows". Versions are left out: an update makes no other device. */
export function deviceOf({ userAgent = '' }: Client): string {
  const text = userAgent.slice(0, USER_AGENT_LENGTH_MAX);
  const find = (list: typeof browsers) => list.find(([pattern]) => pattern.test(text))?.[1];
  const [browser, system] = [find(browsers), find(systems)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? UNKNOWN_DEVICE;
}

/** Where sign-in leads when it interrupted somebody. */
import { textOf } from '../lib/search-values.ts';

/** Only an origin that no link can have: a path that leaves it is a trap. */
const NOWHERE = 'https://nowhere.invalid';

/**
 * A path of this app, or nothing. Links like `/sign-in?next=//evil.example` must not lead away after sign-in, so the
 * browser's own parser decides where a text would go.
 */
export function safePath(text: unknown): string | undefined {
  const path = textOf(text);
  if (path === undefined || !path.startsWith('/')) return undefined;
  try {
    const { origin, pathname, search, hash } = new URL(path, NOWHERE);
    // A pathname of two slashes would name a host when it is used as an address again.
    if (origin !== NOWHERE || pathname.startsWith('//')) return undefined;
    return pathname + search + hash;
  } catch {
    return undefined;
  }
}

export function nextSearch(search: Record<string, unknown>): { next?: string | undefined } {
  return { next: safePath(search['next']) };
}

/** For a redirect to sign-in; the start page needs no mention. */
export function comingBackTo(href: string): { next?: string | undefined } {
  return href === '/proxies' ? {} : nextSearch({ next: href });
}

/** The page that sign-in returns to. */
import { textParameter } from '../loading/search-values.ts';

/** An origin that no link can have, for detecting links that leave the app. */
const PLACEHOLDER_ORIGIN = 'https://nowhere.invalid';

/**
 * Returns a path of this app, or undefined. Links like `/sign-in?next=//evil.example` must not redirect to another site
 * after sign-in, so the browser's URL parser decides.
 */
export function safePath(text: unknown): string | undefined {
  const path = textParameter(text);
  if (path === undefined || !path.startsWith('/')) return undefined;
  try {
    const { origin, pathname, search, hash } = new URL(path, PLACEHOLDER_ORIGIN);
    // A pathname that begins with two slashes would be a host name in the next redirect.
    if (origin !== PLACEHOLDER_ORIGIN || pathname.startsWith('//')) return undefined;
    return pathname + search + hash;
  } catch {
    return undefined;
  }
}

export function nextSearch(search: Record<string, unknown>): { next?: string | undefined } {
  return { next: safePath(search['next']) };
}

/** For a redirect to sign-in; without a parameter it leads to the start page. */
export function returnSearch(href: string): { next?: string | undefined } {
  return href === '/proxies' ? {} : nextSearch({ next: href });
}

/** Pages that the API renders for visitors and search engines, in each language at an address of its own. */
import type { LanguageCode } from './schemas.ts';

/** Those that the header links to. */
export const visitorPages = ['pricing', 'locations'] as const;
export type VisitorPage = 'home' | (typeof visitorPages)[number];

/** English is at `/` and `/pricing`, Russian at `/ru/` and `/ru/pricing`. */
export function visitorPath(languageCode: LanguageCode, page: VisitorPage, countryCode?: string): string {
  const language = languageCode === 'en' ? '' : `/${languageCode}`;
  const country = countryCode === undefined ? '' : `/${countryCode.toLowerCase()}`;
  return page === 'home' ? `${language}/` : `${language}/${page}${country}`;
}

/** Pages that the API renders for visitors and search engines, in each language at an address of its own. */
import type { LanguageCode } from './schemas.ts';

export const visitorPages = ['pricing', 'locations'] as const;
export type VisitorPage = (typeof visitorPages)[number];

/** English is at `/pricing`, Russian at `/ru/pricing`. */
export function visitorPath(languageCode: LanguageCode, page: VisitorPage, countryCode?: string): string {
  const language = languageCode === 'en' ? '' : `/${languageCode}`;
  const country = countryCode === undefined ? '' : `/${countryCode.toLowerCase()}`;
  return `${language}/${page}${country}`;
}

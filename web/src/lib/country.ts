import i18next from 'i18next';

/**
 * The name of a country; unknown codes are returned as they are. Of the texts for signed-in users: the first use of
 * `Intl.DisplayNames` would take a slow phone 80 to 300 ms while the first screen renders.
 */
export function countryName(code: string, language: string): string {
  const name: unknown = i18next.getResource(language, 'country', code.toUpperCase());
  return typeof name === 'string' ? name : code;
}

import i18next from 'i18next';

/**
 * The name of a country, from the texts that all screens of signed-in users load; unknown codes are returned as they are. Not by
 * `Intl.DisplayNames`: its first use takes a slow phone 80 to 300 ms, while the first screen renders.
 */
export function countryName(code: string, language: string): string {
  const name: unknown = i18next.getResource(language, 'country', code.toUpperCase());
  return typeof name === 'string' ? name : code;
}

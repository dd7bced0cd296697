const namesByLanguage = new Map<string, Intl.DisplayNames>();

/** The name of a country in the user's language; unknown codes are returned as they are. */
export function countryName(code: string, language: string): string {
  let names = namesByLanguage.get(language);
  if (names === undefined) {
    names = new Intl.DisplayNames([language, 'en'], { type: 'region', fallback: 'code' });
    namesByLanguage.set(language, names);
  }
  try {
    return names.of(code.toUpperCase()) ?? code;
  } catch {
    return code; // Not a valid country code.
  }
}

/** Postal codes from which a spreadsheet has taken the zeros at the start, because they look like numbers. */

/** Digits of countries whose codes are digits alone and may start with a zero. */
const digits: Readonly<Record<string, number>> = {
  ...ofLength(4, 'AM AU GE NO NZ PH VE ZA'),
  ...ofLength(5, 'DE DZ ES FI FR GT IT KR LK LT MX MY PE PR TR UA US VI'),
  ...ofLength(6, 'CN CO EC KZ RO SG'),
  ...ofLength(7, 'JP'),
  ...ofLength(8, 'BR'),
};
/** More would be no postal code of any of these countries. */
const ZEROS_MAX = 2;

function ofLength(length: number, countries: string): Record<string, number> {
  return Object.fromEntries(countries.split(' ').map((country) => [country, length]));
}

export function mendZip(countryCode: string, zip: string): string {
  const length = digits[countryCode] ?? 0;
  const isShortened = /^[1-9]\d*$/.test(zip) && zip.length < length && zip.length >= length - ZEROS_MAX;
  return isShortened ? zip.padStart(length, '0') : zip;
}

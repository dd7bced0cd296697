/** The URL of one flag, because those of all would be 3 KB of code. The others have the same folder (web/vite.config.ts). */
import german from '../../../../node_modules/flag-icons/flags/4x3/de.svg?url';

/** @param code of a country that the API knows */
export function flagUrl(code: string): string {
  return german.replace(/\bde\.svg/, `${code.toLowerCase()}.svg`);
}

/** CSV (RFC 4180) with texts that users chose. */

/**
 * Prevents CSV injection: spreadsheets run a text that starts with one of these characters as a formula, unless an apostrophe precedes
 * it, which they hide.
 */
export function csvText(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

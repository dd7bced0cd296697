/** Longer than any amount that staff may enter. */
const LENGTH_MAX = 16;

/**
 * Dollars with at most six decimals, negative for a deduction, with a point or a comma; undefined for any other text. No separators of
 * groups: "1,234" would be ambiguous.
 */
export function parseDollars(text: string): number | undefined {
  const trimmed = text.trim().replace('−', '-').replace(',', '.');
  if (trimmed.length > LENGTH_MAX || !/^[+-]?\d+(\.\d{1,6})?$/.test(trimmed)) return undefined;
  return Number(trimmed);
}

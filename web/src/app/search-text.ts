/**
 * Format of search parameters in the URL: plain text, lists as repeated keys (`?city=Berlin&city=Bonn`). Values are not
 * converted: a referral code of digits stays a string.
 */
export function parseSearch(text: string): Record<string, string | string[]> {
  const search: Record<string, string | string[]> = {};
  const parameters = new URLSearchParams(text);
  for (const key of new Set(parameters.keys())) {
    const values = parameters.getAll(key);
    search[key] = values.length === 1 ? values[0]! : values;
  }
  return search;
}

export function stringifySearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(search))
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined && item !== null) parameters.append(key, String(item));
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

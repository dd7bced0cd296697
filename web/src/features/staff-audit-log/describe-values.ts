/** Names and texts of recorded values, as they are stored: names of fields are the same in every language. */
export function describeValues(values: Record<string, unknown> | null): { name: string; text: string }[] {
  return Object.entries(values ?? {}).map(([name, value]) => ({ name, text: toText(value) }));
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join(', ');
  if (value === null || value === undefined) return '—';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

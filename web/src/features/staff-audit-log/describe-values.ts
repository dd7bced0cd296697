/** Names and texts of recorded values, as they are stored: names of fields are the same in every language. */
export function describeValues(values: Record<string, unknown> | null): { name: string; text: string }[] {
  return Object.entries(values ?? {}).map(([name, value]) => ({ name, text: toText(value) }));
}

/** Each changed value with its old and new text. A value that only one side has was added or removed. */
export function describeChanges(
  before: Record<string, unknown> | null,
  after: Record<string, unknown> | null,
): { name: string; before: string; after: string }[] {
  const names = Object.keys({ ...before, ...after });
  return names.map((name) => ({ name, before: toText(before?.[name]), after: toText(after?.[name]) }));
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join(', ');
  if (value === null || value === undefined) return '—';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

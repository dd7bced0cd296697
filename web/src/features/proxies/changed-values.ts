/**
 * Applies the change of a field to the newest values, which the field may not have rendered yet.
 * @param before the values that the field shows
 * @param after the same with the change
 */
export function changedValues(
  newest: readonly string[],
  before: readonly string[],
  after: readonly string[],
): string[] {
  const kept = newest.filter((value) => after.includes(value) || !before.includes(value));
  const added = after.filter((value) => !before.includes(value) && !kept.includes(value));
  return [...kept, ...added];
}

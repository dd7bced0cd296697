const COUNT_MAX = 99;

/** What the bell shows beside it; undefined: nothing. */
export function unreadBadge(count: number): string | undefined {
  if (count <= 0) return undefined;
  return count > COUNT_MAX ? `${COUNT_MAX}+` : String(count);
}

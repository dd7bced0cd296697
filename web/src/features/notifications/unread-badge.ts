const COUNT_MAX = 99;

/** Text of the badge at the bell; undefined for none. */
export function unreadBadge(count: number): string | undefined {
  if (count <= 0) return undefined;
  return count > COUNT_MAX ? `${COUNT_MAX}+` : String(count);
}

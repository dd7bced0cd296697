/** How a sum differs from the one of the previous period. */
export type Change = { direction: 'more' | 'less'; percent: number } | { direction: 'same' | 'none' };

/** Beyond it, percents say nothing. */
const PERCENT_MAX = 999;

/** @param before undefined: not known. @returns undefined if there is nothing to compare */
export function changeOf(total: number, before: number | undefined): Change | undefined {
  if (before === undefined || (total === 0 && before === 0)) return undefined;
  // Refunds may make a sum negative.
  if (before <= 0) return { direction: 'none' };
  const percent = Math.round(((total - before) / before) * 100);
  if (percent === 0) return { direction: 'same' };
  return { direction: percent > 0 ? 'more' : 'less', percent: Math.min(PERCENT_MAX, Math.abs(percent)) };
}

/** Which ports of destinations a connection may use: a text such as `deny 25 465-587` or `allow 80 443 8000-8999`. No schema, for the browser. */
import type { PortRange } from './network.ts';

export interface PortRule {
  /** Whether the ranges are the only allowed ports, or the only denied ones. */
  readonly isAllowed: boolean;
  /** Sorted, without overlaps. */
  readonly ranges: readonly PortRange[];
}

/** Ports and ranges in one rule. */
export const PORT_RANGES_MAX = 50;
const PORT_MAX = 65_535;
const RULE = /^(allow|deny)((?:[ ,]+\d{1,5}(?:-\d{1,5})?)+)$/i;

/** Commas and spaces separate ports, so that a CSV file needs no quotes. @returns undefined for other text */
export function parsePortRule(text: string): PortRule | undefined {
  const [, word, list] = RULE.exec(text.trim()) ?? [];
  if (word === undefined || list === undefined) return undefined;
  const items = list.trim().split(/[ ,]+/).filter(Boolean);
  if (items.length > PORT_RANGES_MAX) return undefined;
  const ranges = items.map(toRange);
  if (ranges.some(({ first, last }) => first < 1 || first > last || last > PORT_MAX)) return undefined;
  return { isAllowed: word.toLowerCase() === 'allow', ranges: merged(ranges) };
}

/** The canonical text: equal rules have equal texts. */
export function portRuleText({ isAllowed, ranges }: PortRule): string {
  return `${isAllowed ? 'allow' : 'deny'} ${rangesText(ranges)}`;
}

/** The ports alone, such as `25 465-587`. */
export const rangesText = (ranges: readonly PortRange[]): string =>
  ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(' ');

export function isPortAllowed({ isAllowed, ranges }: PortRule, port: number): boolean {
  return ranges.some(({ first, last }) => first <= port && port <= last) === isAllowed;
}

function toRange(text: string): PortRange {
  const [first, last = first] = text.split('-').map(Number);
  return { first: first ?? 0, last: last ?? 0 };
}

function merged(ranges: readonly PortRange[]): PortRange[] {
  const result: PortRange[] = [];
  for (const range of ranges.toSorted((one, other) => one.first - other.first)) {
    const before = result.at(-1);
    if (before === undefined || range.first > before.last + 1) result.push(range);
    else result[result.length - 1] = { first: before.first, last: Math.max(before.last, range.last) };
  }
  return result;
}

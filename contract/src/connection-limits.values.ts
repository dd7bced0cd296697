/** How people write the limits of a connection, in forms and in files. Each returns undefined for a wrong text. */
import { CONNECTION_BYTES_PER_SECOND_MAX, CONNECTION_BYTES_PER_SECOND_MIN, CONNECTION_TUNNELS_MAX } from './limits.ts';
import { parsePortRule, portRuleText } from './port-rules.values.ts';
import { megabitsToBytes } from './units.ts';

/** @returns the rule in canonical form */
export function parsePorts(text: string): string | undefined {
  const rule = parsePortRule(text);
  return rule && portRuleText(rule);
}

export function parseTunnels(text: string): number | undefined {
  const tunnels = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return tunnels >= 1 && tunnels <= CONNECTION_TUNNELS_MAX ? tunnels : undefined;
}

/** @param text megabits per second, with at most three decimals. @returns bytes per second */
export function parseSpeed(text: string): number | undefined {
  const bytes = /^\d{1,5}(?:\.\d{1,3})?$/.test(text) ? megabitsToBytes(Number(text)) : 0;
  return bytes >= CONNECTION_BYTES_PER_SECOND_MIN && bytes <= CONNECTION_BYTES_PER_SECOND_MAX ? bytes : undefined;
}

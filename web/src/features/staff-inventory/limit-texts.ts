import type { ConnectionLimits } from '@cellhop/contract/connection-limits';
import {
  CONNECTION_BYTES_PER_SECOND_MAX,
  CONNECTION_BYTES_PER_SECOND_MIN,
  CONNECTION_TUNNELS_MAX,
} from '@cellhop/contract/limits';
import { parsePortRule, portRuleText } from '@cellhop/contract/port-rules.values';
import { megabitsToBytes, toMegabits } from '@cellhop/contract/units';

/** The fields of a form; empty: the setting applies. */
export interface LimitTexts {
  ports: string;
  tunnels: string;
  megabits: string;
}

export function toLimitTexts({ ports, tunnels, bytesPerSecond }: ConnectionLimits): LimitTexts {
  return {
    ports: ports ?? '',
    tunnels: tunnels === null ? '' : String(tunnels),
    megabits: bytesPerSecond === null ? '' : String(toMegabits(bytesPerSecond)),
  };
}

/** @returns the values, `megabits` in bytes per second; null for an empty text, undefined for a wrong one */
export function parseLimits({ ports, tunnels, megabits }: LimitTexts) {
  return {
    ports: unlessEmpty(ports, parsePorts),
    tunnels: unlessEmpty(tunnels, parseTunnels),
    megabits: unlessEmpty(megabits, parseSpeed),
  };
}

const unlessEmpty = <Value>(text: string, parse: (text: string) => Value | undefined) =>
  text.trim() === '' ? null : parse(text.trim());

function parsePorts(text: string): string | undefined {
  const rule = parsePortRule(text);
  return rule && portRuleText(rule);
}

function parseTunnels(text: string): number | undefined {
  const tunnels = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return tunnels >= 1 && tunnels <= CONNECTION_TUNNELS_MAX ? tunnels : undefined;
}

function parseSpeed(text: string): number | undefined {
  const bytes = /^\d{1,5}(?:\.\d{1,3})?$/.test(text) ? megabitsToBytes(Number(text)) : 0;
  return bytes >= CONNECTION_BYTES_PER_SECOND_MIN && bytes <= CONNECTION_BYTES_PER_SECOND_MAX ? bytes : undefined;
}

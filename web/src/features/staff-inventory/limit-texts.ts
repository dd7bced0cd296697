import type { ConnectionLimits } from '@cellhop/contract/connection-limits';
import { parsePorts, parseSpeed, parseTunnels } from '@cellhop/contract/connection-limits.values';
import { toMegabits } from '@cellhop/contract/units';

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

/** Parses the columns of an import that may be missing: the limits of a proxy. */
import {
  CONNECTION_BYTES_PER_SECOND_MAX,
  CONNECTION_BYTES_PER_SECOND_MIN,
  CONNECTION_TUNNELS_MAX,
} from '@cellhop/contract/limits';
import { parsePortRule, portRuleText } from '@cellhop/contract/port-rules.values';
import type { ImportProblem, LimitColumn } from '@cellhop/contract/staff/inventory.values';
import { megabitsToBytes } from '@cellhop/contract/units';
import { z } from 'zod';

/** Null: the file does not have the column, and the proxy keeps its limit. An empty text or 0: the setting applies. */
export interface ImportLimits {
  portRule: string | null;
  tunnelsMax: number | null;
  bytesPerSecondMax: number | null;
}

const problem = (name: ImportProblem) => name;

/** @param parse returns undefined for a wrong text */
function column<Value>(parse: (text: string) => Value | undefined, name: ImportProblem) {
  return z
    .string(problem('NOT_TEXT'))
    .optional()
    .transform((text, context) => {
      if (text === undefined) return null;
      const value = parse(text);
      if (value !== undefined) return value;
      context.addIssue({ code: 'custom', message: problem(name) });
      return z.NEVER;
    });
}

export const limitShape = {
  ports: column(parsePorts, 'NOT_A_PORT_RULE'),
  tunnels: column(parseTunnels, 'NOT_A_TUNNEL_COUNT'),
  megabitsPerSecond: column(parseSpeed, 'NOT_A_SPEED'),
} satisfies Record<LimitColumn, z.ZodType>;

function parsePorts(text: string): string | undefined {
  if (text === '') return '';
  const rule = parsePortRule(text);
  return rule && portRuleText(rule);
}

function parseTunnels(text: string): number | undefined {
  if (text === '') return 0;
  const tunnels = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return tunnels >= 1 && tunnels <= CONNECTION_TUNNELS_MAX ? tunnels : undefined;
}

/** @returns bytes per second */
function parseSpeed(text: string): number | undefined {
  if (text === '') return 0;
  const bytes = /^\d{1,5}(?:\.\d{1,3})?$/.test(text) ? megabitsToBytes(Number(text)) : 0;
  return bytes >= CONNECTION_BYTES_PER_SECOND_MIN && bytes <= CONNECTION_BYTES_PER_SECOND_MAX ? bytes : undefined;
}

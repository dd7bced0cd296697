/** Parses the columns of an import that may be missing, such as the limits of a proxy. */
import { parsePorts, parseSpeed, parseTunnels } from '@cellhop/contract/connection-limits.values';
import type { ImportProblem, LimitColumn } from '@cellhop/contract/staff/inventory.values';
import { z } from 'zod';
import { withDecimalPoint } from './import-numbers.ts';

/** Null: the file does not have the column, and the proxy keeps its limit. An empty text or 0: the setting applies. */
export interface ImportLimits {
  portRule: string | null;
  tunnelsMax: number | null;
  bytesPerSecondMax: number | null;
}

const problem = (name: ImportProblem) => name;

/**
 * @param none what an empty text is stored as
 * @param parse returns undefined for a wrong text
 */
export function optionalColumn<Value>(none: Value, parse: (text: string) => Value | undefined, name: ImportProblem) {
  return z
    .string(problem('NOT_TEXT'))
    .optional()
    .transform((text, context) => {
      if (text === undefined) return null;
      const value = text === '' ? none : parse(text);
      if (value !== undefined) return value;
      context.addIssue({ code: 'custom', message: problem(name) });
      return z.NEVER;
    });
}

export const limitShape = {
  ports: optionalColumn('', parsePorts, 'NOT_A_PORT_RULE'),
  tunnels: optionalColumn(0, parseTunnels, 'NOT_A_TUNNEL_COUNT'),
  megabitsPerSecond: optionalColumn(0, (text) => parseSpeed(withDecimalPoint(text)), 'NOT_A_SPEED'),
} satisfies Record<LimitColumn, z.ZodType>;

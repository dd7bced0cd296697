/** Reads the settings of a program from environment variables. */
import { z } from 'zod';

export interface Environment {
  /**
   * One setting; an empty variable counts as unset. Returns undefined for an invalid one, whatever its type says: `readEnvironment`
   * then throws.
   */
  read: <T extends z.ZodType>(name: string, schema: T) => z.output<T>;
  /** What is missing or invalid so far, a sentence each. */
  problems: string[];
}

/** @throws Error with one line per missing or invalid setting */
export function readEnvironment<T>(
  variables: Readonly<Record<string, string | undefined>>,
  readSettings: (environment: Environment) => T,
): T {
  const problems: string[] = [];
  const read: Environment['read'] = (name, schema) => {
    const parsed = schema.safeParse(variables[name]?.trim() === '' ? undefined : variables[name]);
    if (parsed.success) return parsed.data;
    problems.push(...parsed.error.issues.map(({ path, message }) => describe([name, ...path].join('.'), message)));
    return undefined as never;
  };
  const settings = readSettings({ read, problems });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return settings;
}

/** Some messages begin with the name themselves. */
const describe = (name: string, message: string) => (message.startsWith(name) ? message : `${name}: ${message}`);

/** For `transform`: a function that throws a sentence for the operator. */
export const orProblem =
  <I, O>(parse: (input: I) => O) =>
  (input: I, context: z.RefinementCtx): O => {
    try {
      return parse(input);
    } catch (error) {
      // Later checks may parse it again.
      context.addIssue({ code: 'custom', message: (error as Error).message, continue: false });
      return z.NEVER;
    }
  };

export const portSchema = z.coerce.number().int().min(0).max(65_535);
export const logLevelSchema = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info');

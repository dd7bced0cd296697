/** Reads the settings of a program from environment variables. */
import { z } from 'zod';

export interface Environment {
  /**
   * One setting; an empty variable counts as unset. Returns undefined for an invalid one, although its type does not say so: `readEnvironment`
   * then throws.
   */
  read: <T extends z.ZodType>(name: string, schema: T) => z.output<T>;
  /** What is missing or invalid so far, a sentence each. */
  problems: string[];
}

/** As its schema declares it. */
export interface Setting {
  name: string;
  isRequired: boolean;
  byDefault: string | undefined;
}

/** @throws Error with one line per missing or invalid setting */
export function readEnvironment<T>(
  variables: Readonly<Record<string, string | undefined>>,
  readSettings: (environment: Environment) => T,
  onRead?: (setting: Setting) => void,
): T {
  const problems: string[] = [];
  const read: Environment['read'] = (name, schema) => {
    onRead?.({ name, isRequired: !schema.safeParse(undefined).success, byDefault: findDefault(schema) });
    const parsed = schema.safeParse(variables[name]?.trim() === '' ? undefined : variables[name], { error: explain });
    if (parsed.success) return parsed.data;
    problems.push(...parsed.error.issues.map(({ path, message }) => describe([name, ...path].join('.'), message)));
    return undefined as never;
  };
  const settings = readSettings({ read, problems });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return settings;
}

/** @returns the default as an operator would write it */
function findDefault(schema: z.core.$ZodType): string | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'pipe') return findDefault(def.in);
  if (def.type === 'optional' || def.type === 'nullable') return findDefault(def.innerType);
  if (def.type !== 'default' && def.type !== 'prefault') return undefined;
  const value: unknown = def.defaultValue;
  if (value === null || typeof value !== 'object') return String(value) || undefined;
  return Object.values(value).join(Array.isArray(value) ? ',' : '-') || undefined;
}

/** In place of the library's texts, for schemas without a text of their own. */
const explain: z.core.$ZodErrorMap = (issue) => {
  const unit = 'origin' in issue && issue.origin === 'string' ? ' characters' : '';
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is not set';
  if (issue.code === 'invalid_type')
    return issue.expected === 'int' ? 'must be a whole number' : `must be a ${issue.expected}, without a unit`;
  if (issue.code === 'too_small')
    return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unit}`;
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}${unit}`;
  if (issue.code === 'invalid_value') return `must be ${issue.values.join(', ').replace(/, ([^,]*)$/, ' or $1')}`;
  return 'is not valid: docs/settings.md shows its form';
};

/** Some messages begin with the name themselves. */
function describe(name: string, message: string): string {
  if (message.startsWith(name)) return message;
  return /^(?:is|has|must|needs) /.test(message) ? `${name} ${message}` : `${name}: ${message}`;
}

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

const ipSchema = z.union([z.ipv4(), z.ipv6()]);
const isHost = (text: string) => ipSchema.safeParse(text).success || z.hostname().safeParse(text).success;
/** A name or an address, without a scheme and a port. */
export const hostSchema = z
  .string()
  .refine(isHost, 'must be a name or an IP address alone, such as shop.example.com, without a scheme or a port');

/** @param example of the schemes that are allowed */
export const urlSchema = (schemes: RegExp, example: string) =>
  z
    .string()
    .trim()
    .refine(
      (text) => URL.canParse(text) && schemes.test(new URL(text).protocol) && /^[^:]+:\/\/[^\s#]*$/.test(text),
      `must be a URL such as ${example}`,
    );
/** Scheme, host and port. */
export const originSchema = (example: string) =>
  z
    .string()
    .trim()
    .refine(
      (text) => URL.canParse(text) && /^https?:\/\/[^\s/?#@\\]+\/?$/i.test(text),
      `must be a URL such as ${example}, without a path, a query or a password`,
    )
    .transform((text) => new URL(text).origin);

export const portSchema = z.coerce.number().int().min(0).max(65_535);
export const logLevelSchema = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info');

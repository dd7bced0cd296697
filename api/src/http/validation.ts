import { AppError, type ErrorDetail } from '@cellhop/contract/errors';
import type { z } from 'zod';

/** Fastify's names of the parts of a request -> ours, as `details[].path` shows them. */
const partNames: Record<string, string> = { body: 'body', querystring: 'query', params: 'path' };

const DETAILS_MAX = 20;
const PATH_LENGTH_MAX = 200;
/** Some of the library's messages list the names of all unknown fields. */
const MESSAGE_LENGTH_MAX = 300;

/** Compiles a contract schema into Fastify's validator: the parsed value, or VALIDATION with each field named. */
export function compileValidator({ schema, httpPart = 'body' }: { schema: z.ZodType; httpPart?: string }) {
  const part = partNames[httpPart] ?? httpPart;
  return (input: unknown) => {
    // Fastify passes null where there is no body.
    const parsed = schema.safeParse(input ?? undefined);
    if (!parsed.success) return { error: AppError.validation(describeIssues(part, parsed.error.issues)) };
    const details = findUnkeepable(parsed.data, part);
    if (details) return { error: AppError.validation([details]) };
    return { value: parsed.data };
  };
}

/** An answer never grows with the number of mistakes in the request, nor with the length of a name in it. */
function describeIssues(part: string, issues: readonly z.core.$ZodIssue[]): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  for (const issue of issues)
    for (const [path, message] of describe(part, issue)) {
      if (details.length === DETAILS_MAX) return details;
      details.push({ path: path.slice(0, PATH_LENGTH_MAX), message: message.slice(0, MESSAGE_LENGTH_MAX) });
    }
  return details;
}

function* describe(part: string, issue: z.core.$ZodIssue): Generator<[path: string, message: string]> {
  const path = [part, ...issue.path].join('.');
  if (issue.code !== 'unrecognized_keys') yield [path, issue.message];
  else for (const key of issue.keys) yield [`${path}.${key}`, 'is not a known field'];
}

/** Pairs make one character under this flag, which is no surrogate. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * PostgreSQL's text cannot hold U+0000, and its JSON not half of a surrogate pair, which its text holds as another
 * character; refused here, they never become an error of the server, nor a text that nobody wrote.
 */
function findUnkeepable(value: unknown, path: string): ErrorDetail | undefined {
  if (typeof value === 'string') {
    if (value.includes('\0')) return { path, message: 'must not contain NUL characters' };
    return LONE_SURROGATE.test(value) ? { path, message: 'must be well-formed Unicode' } : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const found = findUnkeepable(item, `${path}.${key}`);
    if (found) return found;
  }
  return undefined;
}

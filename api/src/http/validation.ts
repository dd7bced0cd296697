import { AppError, type ErrorDetail } from '@cellhop/contract/errors';
import type { z } from 'zod';

/** Fastify's names of the parts of a request -> ours, as `details[].path` shows them. */
const partNames: Record<string, string> = { body: 'body', querystring: 'query', params: 'path' };

/** Compiles a contract schema into Fastify's validator: the parsed value, or VALIDATION with each field named. */
export function compileValidator({ schema, httpPart = 'body' }: { schema: z.ZodType; httpPart?: string }) {
  const part = partNames[httpPart] ?? httpPart;
  return (input: unknown) => {
    // Fastify passes null where there is no body.
    const parsed = schema.safeParse(input ?? undefined);
    if (!parsed.success)
      return { error: AppError.validation(parsed.error.issues.flatMap((issue) => toDetails(part, issue))) };
    const details = findUnkeepable(parsed.data, part);
    if (details) return { error: AppError.validation([details]) };
    return { value: parsed.data };
  };
}

function toDetails(part: string, issue: z.core.$ZodIssue): ErrorDetail[] {
  const path = [part, ...issue.path].join('.');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: `${path}.${key}`, message: 'is not a known field' }));
  return [{ path, message: issue.message }];
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

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
    const nulPath = findNul(parsed.data, part);
    if (nulPath) return { error: AppError.validation([{ path: nulPath, message: 'must not contain NUL characters' }]) };
    return { value: parsed.data };
  };
}

function toDetails(part: string, issue: z.core.$ZodIssue): ErrorDetail[] {
  const path = [part, ...issue.path].join('.');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: `${path}.${key}`, message: 'is not a known field' }));
  return [{ path, message: issue.message }];
}

/** PostgreSQL's text cannot hold U+0000; refused here, it never becomes an error of the server. */
function findNul(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return value.includes('\0') ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const found = findNul(item, `${path}.${key}`);
    if (found) return found;
  }
  return undefined;
}

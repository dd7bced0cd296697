import { idempotencyKeySchema } from '@cellhop/contract/connections';
import { AppError, type ErrorDetail } from '@cellhop/contract/errors';
import type { z } from 'zod';

/** Maps Fastify's names for the parts of a request to those in `details[].path`. */
const partNames: Record<string, string> = { body: 'body', querystring: 'query', params: 'path' };

const DETAILS_MAX = 20;
const PATH_LENGTH_MAX = 200;
/** Some messages of the library list all unknown fields. */
const MESSAGE_LENGTH_MAX = 300;

/** Compiles a contract schema into a Fastify validator, which returns the parsed value or VALIDATION with the invalid fields. */
export function compileValidator({ schema, httpPart = 'body' }: { schema: z.ZodType; httpPart?: string }) {
  const part = partNames[httpPart] ?? httpPart;
  return (input: unknown) => {
    // Fastify passes null if there is no body.
    const parsed = schema.safeParse(input ?? undefined);
    if (!parsed.success) return { error: AppError.validation(describeIssues(part, parsed.error.issues)) };
    const details = findInvalidText(parsed.data, part);
    if (details) return { error: AppError.validation([details]) };
    return { value: parsed.data };
  };
}

/** Limits the size of the response, regardless of the number of errors and the length of names in the request. */
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

/** With the `u` flag a surrogate pair is one character, so this only matches unpaired surrogates. */
const UNPAIRED_SURROGATE = /\p{Surrogate}/u;

/**
 * PostgreSQL's text cannot contain U+0000, its JSON no unpaired surrogates, and its text would replace those with another
 * character. Refusing them here prevents server errors and altered texts.
 */
function findInvalidText(value: unknown, path: string): ErrorDetail | undefined {
  if (typeof value === 'string') {
    if (value.includes('\0')) return { path, message: 'must not contain NUL characters' };
    return UNPAIRED_SURROGATE.test(value) ? { path, message: 'must be well-formed Unicode' } : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const found = findInvalidText(item, `${path}.${key}`);
    if (found) return found;
  }
  return undefined;
}

/** Reads the header `Idempotency-Key`, which every request that creates something may have. @throws AppError VALIDATION */
export function readIdempotencyKey(headers: Record<string, string | string[] | undefined>): string | null {
  const header = headers['idempotency-key'];
  if (header === undefined) return null;
  const parsed = idempotencyKeySchema.safeParse(header);
  if (parsed.success) return parsed.data;
  throw AppError.validation([{ path: 'headers.idempotency-key', message: parsed.error.issues[0]!.message }]);
}

import { idempotencyKeySchema } from '@cellhop/contract/connections';
import { AppError } from '@cellhop/contract/errors';

/** Reads the header `Idempotency-Key`, which every request that creates something may have. @throws AppError VALIDATION */
export function readIdempotencyKey(headers: Record<string, string | string[] | undefined>): string | null {
  const header = headers['idempotency-key'];
  if (header === undefined) return null;
  const parsed = idempotencyKeySchema.safeParse(header);
  if (parsed.success) return parsed.data;
  throw AppError.validation([{ path: 'headers.idempotency-key', message: parsed.error.issues[0]!.message }]);
}

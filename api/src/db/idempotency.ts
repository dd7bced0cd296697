import { AppError } from '@cellhop/contract/errors';

/**
 * A repeated idempotency key returns the object that it created, if the request is the same; otherwise it is refused. Tables with
 * such objects have a unique constraint on user and key. Purchases do this in api/sql/buy_proxy.sql.
 * @param made the object that was created with the key; undefined if a concurrent request used it for something else
 * @throws AppError IDEMPOTENCY_KEY_REUSED
 */
export function requireSameRequest<Row>(made: Row | undefined, isSame: (made: Row) => boolean): Row {
  if (made === undefined || !isSame(made)) throw new AppError('IDEMPOTENCY_KEY_REUSED');
  return made;
}

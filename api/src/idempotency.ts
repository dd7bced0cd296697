import { AppError } from '@cellhop/contract/errors';

/**
 * A request whose key has been used before gets what was made then, if it asks for the same; the key cannot stand for something else. Each
 * table that something is made in has the rule that a key of a user occurs once; a purchase compares in buy_proxy (api/sql).
 * @param made what was made with the key; undefined if it was used at this very moment for something else
 * @throws AppError IDEMPOTENCY_KEY_REUSED
 */
export function requireRepeat<Row>(made: Row | undefined, isSame: (made: Row) => boolean): Row {
  if (made === undefined || !isSame(made)) throw new AppError('IDEMPOTENCY_KEY_REUSED');
  return made;
}

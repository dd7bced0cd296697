/** Refusals that modules share: of a repeated request that differs, of an outdated form, of a time zone. */
import { AppError } from '@cellhop/contract/errors';
import { createHash } from 'node:crypto';
import pg from 'pg';

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

/** For bodies that the created object does not show in full: it is stored with the key. */
export function hashBody(body: object): Buffer {
  const given = Object.entries(body).filter(([, value]) => value !== undefined);
  return createHash('sha256')
    .update(JSON.stringify(given.sort(([one], [other]) => (one < other ? -1 : 1))))
    .digest();
}

/** @param stored null for an object of the previous release */
export function isSameBody(stored: Buffer | null, hash: Buffer): boolean {
  return stored === null || stored.equals(hash);
}

/**
 * @param seen the version that the member of staff saw; undefined if they did not send it
 * @throws AppError CHANGED_ELSEWHERE if the object has been changed since
 */
export function refuseStale(seen: number | undefined, current: number): void {
  if (seen !== undefined && seen !== current) throw new AppError('CHANGED_ELSEWHERE');
}

/** SQLSTATE for an unknown time zone, among others. */
const INVALID_PARAMETER = '22023';

/**
 * For statements with a time zone of a request. The contract validates the name with the JavaScript engine; the database may have
 * older time zone data.
 */
export async function reportUnknownTimeZone<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === INVALID_PARAMETER)
      throw AppError.validation([{ path: 'query.timeZone', message: 'is not known here' }]);
    throw error;
  }
}

import { AppError } from '@cellhop/contract/errors';
import pg from 'pg';

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

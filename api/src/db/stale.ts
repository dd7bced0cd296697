import { AppError } from '@cellhop/contract/errors';

/**
 * @param seen the version that the member of staff saw; undefined if they did not send it
 * @throws AppError CHANGED_ELSEWHERE if the object has been changed since
 */
export function refuseStale(seen: number | undefined, current: number): void {
  if (seen !== undefined && seen !== current) throw new AppError('CHANGED_ELSEWHERE');
}

import { startOfDay } from '../../lib/day.ts';
import type { StaffUsersSearch } from './screen.ts';

/** Days start at midnight in the time zone of the member of staff; the API's `createdTo` is exclusive. */
export function toUsersQuery({ from, to, confirmed, ...search }: StaffUsersSearch) {
  return {
    ...search,
    isConfirmed: confirmed,
    createdFrom: from === undefined ? undefined : startOfDay(from).toISOString(),
    createdTo: to === undefined ? undefined : startOfDay(to, 1).toISOString(),
  };
}

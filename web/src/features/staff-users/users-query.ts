import { toLimitedRange } from '../staff-parts/continuation.ts';
import type { StaffUsersSearch } from './screen.ts';

export function toUsersQuery({ from, to, since, until, confirmed, ...search }: StaffUsersSearch) {
  const range = toLimitedRange({ from, to, since, until });
  return { ...search, isConfirmed: confirmed, createdFrom: range.from, createdTo: range.to };
}

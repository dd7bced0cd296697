import type { ListedUser } from '@cellhop/contract/staff/users';
import { useProfile } from '../../session/profile.ts';
import { type RowSelection, useRowSelection } from '../staff-parts/row-selection.tsx';

/** Users of a list that are chosen to be blocked. @param isFirst those that are chosen from the start */
export function useChosenUsers<User extends ListedUser>(
  users: readonly User[] | undefined,
  isFirst?: (user: User) => boolean,
): RowSelection<User> {
  const ownId = useProfile()?.id;
  return useRowSelection<User>({
    rows: users,
    keyOf: ({ id }) => id,
    nameOf: ({ email }) => email,
    canChoose: ({ id, status }) => status === 'ACTIVE' && id !== ownId,
    ...(isFirst && { isFirst }),
  });
}

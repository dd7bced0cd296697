/** Accounts that may belong to one person. The same address is a fact, a payer or an address in common likely, the same network only a hint. */
import { AppError } from '@cellhop/contract/errors';
import { RELATED_USERS_MAX } from '@cellhop/contract/limits';
import type { AccountRelation } from '@cellhop/contract/staff/lists.values';
import type { RelatedUser } from '@cellhop/contract/staff/users';
import type { Ctx } from '../../ctx.ts';
import { listNeighbours } from '../auth/sessions.service.ts';
import { listClientSharers } from '../connections/access.service.ts';
import { listOfPayers } from '../invoices/staff-invoices.service.ts';
import * as users from '../users/users.service.ts';
import { presentAll } from './user-directory.service.ts';

interface Related {
  data: RelatedUser[];
  isTruncated: boolean;
}

/** @throws AppError NOT_FOUND */
export async function listRelated(ctx: Ctx, id: string): Promise<Related> {
  const { found, isTruncated } = await findRelated(ctx, id);
  const relations = new Map(found.map(({ row, relation }) => [row.id, relation]));
  const shown = await presentAll(
    ctx,
    found.map(({ row }) => row),
  );
  return { data: shown.map((user) => ({ ...user, relation: relations.get(user.id)! })), isTruncated };
}

/** @throws AppError NOT_FOUND */
export async function countRelated(ctx: Ctx, id: string): Promise<number> {
  return (await findRelated(ctx, id)).found.length;
}

interface Found {
  row: users.ListedUserRow;
  relation: AccountRelation;
}

/** Each list reads one row more than is shown. */
const LIMIT = RELATED_USERS_MAX + 1;

async function findRelated(ctx: Ctx, id: string): Promise<{ found: Found[]; isTruncated: boolean }> {
  const user = await users.findUser(ctx, id);
  if (!user) throw new AppError('NOT_FOUND', { thing: 'User' });
  const samePerson = await users.listOfPerson(ctx, user, LIMIT);
  const payers = await listOfPayers(ctx, id, LIMIT);
  const clients = await listClientSharers(ctx, id, LIMIT);
  const neighbours = await listNeighbours(ctx, id, LIMIT);
  // The strongest relation wins, so it is set last.
  const relations = new Map<string, AccountRelation>();
  for (const { userId, isSameDevice } of neighbours)
    relations.set(userId, isSameDevice ? 'SAME_NETWORK_AND_DEVICE' : 'SAME_NETWORK');
  for (const userId of clients) relations.set(userId, 'SAME_CLIENT');
  for (const userId of payers) relations.set(userId, 'SAME_PAYER');
  for (const row of samePerson) relations.delete(row.id);
  const near = await users.listUsersById(ctx, [...relations.keys()]);
  const rows = new Map(near.map((row) => [row.id, row]));
  const hints = [...payers, ...clients, ...neighbours.map(({ userId }) => userId)].flatMap((userId): Found[] => {
    const row = rows.get(userId);
    const relation = relations.get(userId);
    relations.delete(userId);
    return !row || row.status === 'DELETED' || relation === undefined ? [] : [{ row, relation }];
  });
  return {
    found: [
      ...samePerson.slice(0, RELATED_USERS_MAX).map((row): Found => ({ row, relation: 'SAME_PERSON' })),
      ...hints.slice(0, RELATED_USERS_MAX),
    ],
    isTruncated: samePerson.length > RELATED_USERS_MAX || hints.length > RELATED_USERS_MAX,
  };
}

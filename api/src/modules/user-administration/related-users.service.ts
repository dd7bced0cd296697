/** Accounts that may belong to one person. The same address is a fact, the same network only a hint. */
import { AppError } from '@cellhop/contract/errors';
import { RELATED_USERS_MAX } from '@cellhop/contract/limits';
import type { AccountRelation } from '@cellhop/contract/staff/lists.values';
import type { RelatedUser } from '@cellhop/contract/staff/users';
import type { Ctx } from '../../ctx.ts';
import { listNeighbours } from '../auth/sessions.service.ts';
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
  const [samePerson, neighbours] = await Promise.all([
    users.listOfPerson(ctx, user, LIMIT),
    listNeighbours(ctx, id, LIMIT),
  ]);
  const near = await users.listUsersById(
    ctx,
    neighbours.map(({ userId }) => userId),
  );
  const rows = new Map(near.map((row) => [row.id, row]));
  const isSamePerson = new Set(samePerson.map((row) => row.id));
  const hints = neighbours.flatMap(({ userId, isSameDevice }): Found[] => {
    const row = rows.get(userId);
    if (!row || row.status === 'DELETED' || isSamePerson.has(userId)) return [];
    return [{ row, relation: isSameDevice ? 'SAME_NETWORK_AND_DEVICE' : 'SAME_NETWORK' }];
  });
  return {
    found: [
      ...samePerson.slice(0, RELATED_USERS_MAX).map((row): Found => ({ row, relation: 'SAME_PERSON' })),
      ...hints.slice(0, RELATED_USERS_MAX),
    ],
    isTruncated: samePerson.length > RELATED_USERS_MAX || neighbours.length > RELATED_USERS_MAX,
  };
}

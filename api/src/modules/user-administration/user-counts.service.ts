/** How many rows the lists of a user have, for those that the member of staff may read. */
import { AppError } from '@cellhop/contract/errors';
import type { Permission } from '@cellhop/contract/permissions';
import type { UserCounts } from '@cellhop/contract/staff/users';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import * as connections from '../connections/connections.service.ts';
import * as invoices from '../invoices/staff-invoices.service.ts';
import * as mails from '../mails/mails.service.ts';
import * as notifications from '../notifications/notifications.service.ts';
import * as promoCodes from '../referrals/promo-codes.service.ts';
import * as tickets from '../tickets/staff-tickets.service.ts';
import * as transactions from '../transactions/transactions.service.ts';
import * as users from '../users/users.service.ts';
import { countRelated } from './related-users.service.ts';
import { listUsers } from './user-directory.service.ts';

interface CountedList {
  permission: Permission;
  count: (ctx: Ctx, actor: Actor, userId: string) => Promise<number>;
}

/** With pages of one row, the number of pages is that of the rows. */
const page = { page: 1, size: 1 };
const newest = { ...page, sort: '-createdAt' } as const;
const rowsOf = async (list: Promise<{ totalPages: number }>): Promise<number> => (await list).totalPages;

const lists: Record<keyof UserCounts, CountedList> = {
  referrals: {
    permission: 'USERS_READ',
    count: (ctx, _actor, referralId) => rowsOf(listUsers(ctx, { ...newest, referralId })),
  },
  related: { permission: 'USERS_READ', count: (ctx, _actor, userId) => countRelated(ctx, userId) },
  connections: {
    permission: 'CONNECTIONS_READ',
    count: (ctx, _actor, userId) => rowsOf(connections.listForStaff(ctx, { ...newest, userId })),
  },
  invoices: {
    permission: 'PAYMENTS_READ',
    count: (ctx, _actor, userId) => rowsOf(invoices.listAll(ctx, { ...newest, userId })),
  },
  tickets: {
    permission: 'TICKETS_READ',
    count: (ctx, actor, userId) => rowsOf(tickets.listForStaff(ctx, actor, { ...page, view: 'all', userId })),
  },
  promoCodes: {
    permission: 'PROMO_CODES_READ',
    count: (ctx, _actor, userId) => rowsOf(promoCodes.listForStaff(ctx, { ...page, userId })),
  },
  transactions: {
    permission: 'TRANSACTIONS_READ',
    count: (ctx, _actor, userId) => rowsOf(transactions.listOfUser(ctx, { ...page, userId })),
  },
  notifications: {
    permission: 'NOTIFICATIONS_READ',
    count: (ctx, _actor, userId) => rowsOf(notifications.listOfUser(ctx, { ...page, userId })),
  },
  mails: { permission: 'USERS_READ', count: (ctx, _actor, userId) => rowsOf(mails.listMails(ctx, userId, page)) },
};

/** @throws AppError NOT_FOUND */
export async function countLists(ctx: Ctx, actor: Actor, userId: string): Promise<UserCounts> {
  if (!(await users.findUser(ctx, userId))) throw new AppError('NOT_FOUND', { thing: 'User' });
  const read = ({ permission, count }: CountedList) =>
    actor.permissions.has(permission) ? count(ctx, actor, userId) : null;
  const counts: Partial<UserCounts> = {};
  // One after another: a request of one member of staff must not take all connections to the database at once.
  for (const name of Object.keys(lists) as (keyof UserCounts)[]) counts[name] = await read(lists[name]);
  return counts as UserCounts;
}

/** Queries for each list: usual filters, wide filters, and filters without matches. */
import { LISTED_ROWS_MAX } from '@cellhop/contract/limits';
import { permissions } from '@cellhop/contract/permissions';
import { inventorySorts } from '@cellhop/contract/staff/inventory.plain';
import type { Actor } from '../../api/src/actor.ts';
import type { Ctx } from '../../api/src/ctx.ts';
import * as approvals from '../../api/src/modules/approvals/approvals.service.ts';
import { listEntries } from '../../api/src/modules/audit-log/entries.service.ts';
import * as connections from '../../api/src/modules/connections/connections.service.ts';
import { listAll as listInvoices } from '../../api/src/modules/invoices/staff-invoices.service.ts';
import { listMails } from '../../api/src/modules/mails/mails.service.ts';
import { listBroadcasts } from '../../api/src/modules/notifications/broadcasts.service.ts';
import { listOfUser as listNotifications } from '../../api/src/modules/notifications/staff-notifications.service.ts';
import { listInventory } from '../../api/src/modules/proxies/inventory.service.ts';
import { listForStaff as listPromoCodes } from '../../api/src/modules/referrals/promo-codes.service.ts';
import { search } from '../../api/src/modules/search/search.service.ts';
import * as desk from '../../api/src/modules/support/desk.service.ts';
import { listJobs } from '../../api/src/modules/system/system.service.ts';
import { getTimeline } from '../../api/src/modules/timeline/timeline.service.ts';
import { listOfUser as listTransactions } from '../../api/src/modules/transactions/transactions.service.ts';
import { listUsers } from '../../api/src/modules/user-administration/user-directory.service.ts';
import { STAFF_EMAIL } from './data.ts';

type Lists = Record<string, () => Promise<unknown>>;

const SIZE = 50;
const first = { page: 1, size: SIZE };
const last = { page: LISTED_ROWS_MAX / SIZE, size: SIZE };
const NOBODY = '00000000-0000-4000-8000-000000000000';
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
const everything = { from: daysAgo(3000), to: daysAgo(-1) };
const nothing = { from: daysAgo(3000), to: daysAgo(2900) };
const created = ({ from, to }: typeof everything) => ({ createdFrom: from, createdTo: to });

export async function staffLists(ctx: Ctx): Promise<Lists> {
  const [customer] = await ctx.db.query<{ id: string; email: string }>(
    "select id, email from users where role_name = 'USER' order by account_id limit 1",
  );
  const [staff] = await ctx.db.query<{ id: string }>('select id from users where email = $1', [STAFF_EMAIL]);
  const actor = { userId: staff!.id, permissions: new Set(permissions), languageCode: 'en' } as unknown as Actor;
  return {
    ...usersLists(ctx, customer!),
    ...(await connectionLists(ctx, customer!.id)),
    ...invoiceLists(ctx, customer!.id),
    ...ticketLists(ctx, actor, customer!.id),
    ...auditLists(ctx, actor, customer!.id),
    ...listsOfUser(ctx, actor, customer!.id),
    ...otherLists(ctx, actor, customer!),
  };
}

/** The same list with different queries. */
function variants<Query>(
  list: string,
  read: (query: Query) => Promise<unknown>,
  usual: Query,
  queries: Record<string, Partial<Query>>,
): Lists {
  return Object.fromEntries(
    Object.entries(queries).map(([name, query]) => [`${list}: ${name}`, () => read({ ...usual, ...query })]),
  );
}

const pages = { 'first page': {}, 'page 100': { page: 100 }, 'last page': last };

function usersLists(ctx: Ctx, { id, email }: { id: string; email: string }): Lists {
  type Query = Parameters<typeof listUsers>[1];
  return variants<Query>(
    'users',
    (query) => listUsers(ctx, query),
    { ...first, sort: '-createdAt' },
    {
      ...pages,
      'oldest, last page': { ...last, sort: 'createdAt' },
      'by email, last page': { ...last, sort: 'email' },
      'by email backwards, last page': { ...last, sort: '-email' },
      'a whole email': { email },
      'a part of a quarter of all emails': { email: '@gmail.com' },
      'a part of a quarter, by email, last page': { ...last, email: '@gmail.com', sort: 'email' },
      'a part of no email': { email: 'xyzzyxyzzy' },
      blocked: { status: 'BLOCKED' },
      'deleted, by email': { status: 'DELETED', sort: 'email' },
      'blocked with a part of a quarter of all emails': { status: 'BLOCKED', email: '@gmail.com' },
      'a role': { role: 'ADMIN' },
      'a role that nobody has': { role: 'FINANCE' },
      'not confirmed, last page': { ...last, isConfirmed: 'false' },
      'confirmed, by email, last page': { ...last, isConfirmed: 'true', sort: 'email' },
      'of a referrer': { referralId: id },
      'of a referrer, by email, last page': { ...last, referralId: id, sort: 'email' },
      'all days, last page': { ...last, ...created(everything) },
      'all days, by email': { ...created(everything), sort: 'email' },
      'days without any': created(nothing),
      'days without any, by email': { ...created(nothing), sort: 'email' },
      'a day, by email': { ...created({ from: daysAgo(300), to: daysAgo(299) }), sort: 'email' },
    },
  );
}

async function connectionLists(ctx: Ctx, userId: string): Promise<Lists> {
  type Query = Parameters<typeof connections.listForStaff>[1];
  const [row] = await ctx.db.query<{ id: string; ip: string; username: string }>(
    `select connections.id, host(ip) as ip, username from connections join proxies on proxies.id = proxy_id
      where status <> 'WORK' limit 1`,
  );
  const { id, ip, username } = row!;
  return variants<Query>(
    'connections',
    (query) => connections.listForStaff(ctx, query),
    { ...first, sort: '-createdAt' },
    {
      ...pages,
      'oldest, last page': { ...last, sort: 'createdAt' },
      'of a user': { userId },
      'of a user, oldest, last page': { ...last, userId, sort: 'createdAt' },
      live: { status: 'WORK' },
      'ended by the user, last page': { ...last, status: 'DISCONNECT_USER' },
      'ended by the user, oldest': { status: 'DISCONNECT_USER', sort: 'createdAt' },
      'a status that none has': { status: 'DISCONNECT_ADMIN' },
      'of a user with a status that none has': { userId, status: 'DISCONNECT_ADMIN' },
      'of an address': { ip },
      'of an address without any': { ip: '198.51.100.1' },
      'of an address with a status that none has': { ip, status: 'DISCONNECT_ADMIN' },
      'by id': { id },
      'by user name': { username },
      'all days, last page': { ...last, ...created(everything) },
      'days without any': created(nothing),
      'ended by the user on days without any': { ...created(nothing), status: 'DISCONNECT_USER' },
    },
  );
}

function invoiceLists(ctx: Ctx, userId: string): Lists {
  type Query = Parameters<typeof listInvoices>[1];
  return variants<Query>(
    'invoices',
    (query) => listInvoices(ctx, query),
    { ...first, sort: '-createdAt' },
    {
      ...pages,
      'oldest, last page': { ...last, sort: 'createdAt' },
      'by amount, last page': { ...last, sort: 'amount' },
      'by amount downwards, last page': { ...last, sort: '-amount' },
      'of a user, last page': { ...last, userId },
      'of a user, by amount, last page': { ...last, userId, sort: 'amount' },
      'paid, last page': { ...last, status: ['PAID'] },
      'paid or expired, by amount, last page': { ...last, status: ['PAID', 'EXPIRED'], sort: '-amount' },
      'overpaid, by amount': { status: ['OVERPAID'], sort: '-amount' },
      'a status that none has': { status: ['CONFIRMING'] },
      'a status that none has, by amount': { status: ['CONFIRMING'], sort: 'amount' },
      'in a currency, last page': { ...last, currency: ['USDT_BSC'] },
      'in a currency, by amount': { currency: ['ETH'], sort: 'amount' },
      'in a currency without any': { currency: ['LTC'] },
      'in a currency without any, by amount': { currency: ['LTC'], sort: 'amount' },
      'a wide range of amounts': { amountMin: 10, amountMax: 900 },
      'a wide range of amounts, last page': { ...last, amountMin: 10, amountMax: 900 },
      'a wide range of amounts, by amount, last page': { ...last, amountMin: 10, amountMax: 900, sort: '-amount' },
      'a narrow range of amounts': { amountMin: 500, amountMax: 501 },
      'amounts that none has': { amountMin: 5000 },
      'all days, last page': { ...last, ...everything },
      'all days, by amount': { ...everything, sort: 'amount' },
      'days without any': nothing,
      'days without any, by amount': { ...nothing, sort: 'amount' },
      'paid in a wide range of amounts on days without any': { ...nothing, status: ['PAID'], amountMin: 10 },
    },
  );
}

function ticketLists(ctx: Ctx, actor: Actor, userId: string): Lists {
  type Query = Parameters<typeof desk.listForStaff>[2];
  return {
    ...variants<Query>(
      'tickets',
      (query) => desk.listForStaff(ctx, actor, query),
      { ...first, view: 'all' },
      {
        ...pages,
        'open, last page': { ...last, view: 'open' },
        'oldest, last page': { ...last, view: 'oldest' },
        'waiting, last page': { ...last, view: 'waiting' },
        mine: { view: 'mine' },
        'closed, last page': { ...last, status: 'CLOSED' },
        'of a user': { userId },
        'of a user, waiting': { userId, view: 'waiting' },
        'of a user without any': { userId: NOBODY },
        'a word of a fifth': { words: 'refund' },
        'a word of a fifth, open': { words: 'refund', view: 'open' },
        'a word of a fifth, waiting': { words: 'refund', view: 'waiting' },
        'a word of a fifth, oldest, page 20': { words: 'refund', view: 'oldest', page: 20 },
        'two words': { words: 'refund berlin' },
        'a rare word': { words: 'case4711' },
        'a rare word, waiting': { words: 'case4711', view: 'waiting' },
        'the start of many words, waiting': { words: 'c', view: 'waiting' },
        'words of none': { words: 'xyzzy' },
        'two words that exclude each other': { words: 'refund slow' },
        'all days, last page': { ...last, ...everything },
        'days without any': nothing,
        'waiting on days without any': { ...nothing, view: 'waiting' },
        'a word of a fifth on days without any': { ...nothing, words: 'refund' },
      },
    ),
    'tickets: counts of the views': () => desk.countViews(ctx, actor),
    'tickets: first replies of a year': () => desk.measureFirstReplies(ctx, { from: daysAgo(366), to: daysAgo(0) }),
  };
}

function auditLists(ctx: Ctx, { userId: busy }: Actor, userId: string): Lists {
  type Query = Parameters<typeof listEntries>[1];
  return variants<Query>('audit log', (query) => listEntries(ctx, query), first, {
    ...pages,
    'of a busy member of staff, last page': { ...last, actor: STAFF_EMAIL },
    'of a busy member of staff, one action': { actor: busy, action: ['INVOICE_SETTLED'] },
    'of a busy member of staff, an action of others': { actor: busy, action: ['SIGN_IN'] },
    'of a busy member of staff, a day': { actor: busy, from: daysAgo(300), to: daysAgo(299) },
    'of somebody without any': { actor: NOBODY },
    'of an unknown email': { actor: 'nobody@example.net' },
    'one action, last page': { ...last, action: ['SIGN_IN'] },
    'three actions, last page': { ...last, action: ['SIGN_IN', 'TICKET_CLOSED', 'USER_BLOCKED'] },
    'an action that none has': { action: ['FAQ_MOVED'] },
    'a type of subject, last page': { ...last, subjectType: 'TICKET' },
    'a subject': { subjectType: 'USER', subjectId: userId },
    'a type of subject that none has': { subjectType: 'FAQ' },
    'about a user, last page': { ...last, userId },
    'about a user, an action that none has': { userId, action: ['FAQ_MOVED'] },
    'about a user, by a busy member of staff': { userId, actor: busy },
    'all days, last page': { ...last, ...everything },
    'days without any': nothing,
    'one action on days without any': { ...nothing, action: ['SIGN_IN'] },
  });
}

function listsOfUser(ctx: Ctx, actor: Actor, userId: string): Lists {
  type Transactions = Parameters<typeof listTransactions>[1];
  type Timeline = Parameters<typeof getTimeline>[3];
  const page = { ...first, userId };
  return {
    ...variants<Transactions>('transactions of a user', (query) => listTransactions(ctx, query), page, {
      ...pages,
      'one kind': { kind: ['PREPAID_50_MB'] },
      'a kind that none has': { kind: ['TRIAL'] },
      'all days, last page': { ...last, ...everything },
      'days without any': nothing,
    }),
    ...variants<typeof first>('mails of a user', (query) => listMails(ctx, userId, query), first, pages),
    ...variants<typeof page>('notifications of a user', (query) => listNotifications(ctx, query), page, pages),
    ...variants<Timeline>(
      'timeline',
      (query) => getTimeline(ctx, actor, userId, query),
      { size: SIZE },
      {
        'first page': {},
        'a year ago': { after: `${(Date.now() - 366 * DAY_MS) * 1000}_0_~` },
        'one kind': { kind: ['STAFF'] },
      },
    ),
  };
}

function otherLists(ctx: Ctx, actor: Actor, customer: { id: string; email: string }): Lists {
  type Codes = Parameters<typeof listPromoCodes>[1];
  type Inventory = Parameters<typeof listInventory>[1];
  type Requests = Parameters<typeof approvals.listRequests>[2];
  return {
    ...variants<Codes>('promo codes', (query) => listPromoCodes(ctx, query), first, {
      ...pages,
      'of an owner': { userId: customer.id },
      'of nobody': { userId: NOBODY },
      'disabled, last page': { ...last, status: 'DISABLED' },
      'a status that none has': { status: 'EXPIRED' },
      'the start of a code': { code: 'CODE4' },
      'the start of no code': { code: 'XYZZY' },
    }),
    ...variants<Requests>('requests', (query) => approvals.listRequests(ctx, 'ADJUSTMENT', query), first, {
      ...pages,
      pending: { status: 'PENDING' },
      'a status that none has': { status: 'REJECTED' },
      'of a user, last page': { ...last, userId: customer.id },
      'of nobody': { userId: NOBODY },
    }),
    ...Object.fromEntries(
      inventorySorts.map((sort) => [
        `proxies: by ${sort}, last page`,
        () => listInventory(ctx, { ...last, sort } satisfies Inventory),
      ]),
    ),
    'broadcasts: first page': () => listBroadcasts(ctx, first),
    'jobs: first page': () => listJobs(ctx, first),
    ...Object.fromEntries(
      ['gmail.com', customer.email, customer.id, '192.0.2.1', 'refund', 'case4711 berlin', 'xyzzyxyzzy', 'CODE42'].map(
        (text) => [
          `search: ${text.includes('@') ? 'an email' : text === customer.id ? 'an id' : text}`,
          () => search(ctx, actor, text),
        ],
      ),
    ),
  };
}

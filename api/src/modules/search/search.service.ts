/** The search of staff. Each kind is looked up by indexes, in the lists that staff have, if the caller may read them. */
import type { Permission } from '@cellhop/contract/permissions';
import { addressSchema, idSchema } from '@cellhop/contract/schemas';
import { type AddressUse, foundKinds, type FoundKind } from '@cellhop/contract/staff/lists.values';
import type { Found } from '@cellhop/contract/staff/search';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import { listSignInsFrom } from '../audit-log/audit-log.service.ts';
import { findForStaff } from '../connections/connections.service.ts';
import { findByReference } from '../invoices/staff-invoices.service.ts';
import { listInventory } from '../proxies/inventory.service.ts';
import * as promoCodes from '../referrals/promo-codes.service.ts';
import * as tickets from '../tickets/staff-tickets.service.ts';
import * as userDirectory from '../user-administration/user-directory.service.ts';
import { listUsersById } from '../users/users.service.ts';

/** The most results of each kind. */
const FOUND_MAX = 5;
const page = { page: 1, size: FOUND_MAX };

const neededPermission: Record<FoundKind, Permission> = {
  USER: 'USERS_READ',
  CONNECTION: 'CONNECTIONS_READ',
  PROXY: 'PROXIES_READ',
  INVOICE: 'PAYMENTS_READ',
  PROMO_CODE: 'PROMO_CODES_READ',
  TICKET: 'TICKETS_READ',
};

interface SearchText {
  text: string;
  /** Set if the text is an id. */
  id: string | undefined;
  ip: string | undefined;
  /** With an IP: those that had it at this time. */
  at: string | undefined;
}

interface Result extends Omit<Found, 'kind'> {
  /** Whom the searched address or transaction belongs to. */
  owner?: { id: string; email: string; use: AddressUse };
}

type Lookup = (ctx: Ctx, searched: SearchText, actor: Actor) => Promise<Result[]>;

const lookups: Record<FoundKind, Lookup> = {
  USER: async (ctx, { text, id, ip, at }) => {
    if (ip !== undefined) return findBySignIn(ctx, ip, at);
    const rows =
      id === undefined
        ? (await userDirectory.listUsers(ctx, { ...page, email: text, sort: '-createdAt' })).data
        : await userDirectory.findUsers(ctx, id);
    return rows.map((user) => ({ id: user.id, title: user.email, detail: user.role.name }));
  },
  CONNECTION: async (ctx, { text, id, ip, at }) => {
    const filter = ip === undefined ? { id, ...(id === undefined && { username: text }) } : { ip, at };
    const rows = await findForStaff(ctx, filter, FOUND_MAX);
    // Those that a client with this address uses come after those of the proxy.
    const ofClient = ip === undefined ? [] : await findForStaff(ctx, { client: ip, at }, FOUND_MAX - rows.length);
    return [...rows, ...ofClient].map(({ user, ...row }, index) => ({
      id: row.id,
      title: row.ip,
      detail: user.email,
      status: row.status,
      period: { from: row.createdAt, to: row.disconnectAt },
      ...(index >= rows.length && { owner: { ...user, use: 'CLIENT' } }),
    }));
  },
  PROXY: async (ctx, { ip }) => {
    if (ip === undefined) return [];
    const { data } = await listInventory(ctx, { ...page, ip, sort: 'ip' });
    return data.map(({ id, ip: title, countryCode, city }) => ({
      id,
      title,
      detail: `${countryCode}, ${city}`,
      place: { countryCode, city },
    }));
  },
  INVOICE: async (ctx, { text, id }) => {
    const rows = await findByReference(ctx, { text, id }, FOUND_MAX);
    return rows.map(({ id: invoiceId, amount, currency, user }) => ({
      id: invoiceId,
      title: `$${amount} ${currency}`,
      detail: user.email,
      invoice: { amount, currency },
      ...(id === undefined && { owner: { ...user, use: 'PAYMENT' } }),
    }));
  },
  PROMO_CODE: async (ctx, { text, id }) => {
    if (id !== undefined) return [];
    const { data } = await promoCodes.listForStaff(ctx, { ...page, code: text });
    return data.map((code) => ({ id: code.id, title: code.code, detail: code.referral.email }));
  },
  TICKET: async (ctx, { text, id }, actor) => {
    // Without a word the list of tickets has no filter.
    if (!/[\p{L}\p{N}]/u.test(text)) return [];
    const rows =
      id === undefined
        ? (await tickets.listForStaff(ctx, actor, { ...page, view: 'all', words: text })).data
        : await tickets.findForStaff(ctx, id);
    return rows.map((ticket) => ({ id: ticket.id, title: ticket.name, detail: ticket.user.email }));
  },
};

/** At the given time, those who signed in before. */
async function findBySignIn(ctx: Ctx, ip: string, at: string | undefined): Promise<Result[]> {
  const signIns = await listSignInsFrom(ctx, ip, at, FOUND_MAX);
  const users = await listUsersById(
    ctx,
    signIns.map(({ userId }) => userId),
  );
  return signIns.flatMap(({ userId, signedInAt }): Result[] => {
    const user = users.find(({ id }) => id === userId);
    const time = signedInAt.toISOString();
    if (user === undefined) return [];
    return [{ id: user.id, title: user.email, detail: '', use: 'SIGN_IN', period: { from: time, to: time } }];
  });
}

/** The kinds that the caller may read. An address that leads to something of a user leads to the user, too. */
export async function search(ctx: Ctx, actor: Actor, text: string, at: string | undefined): Promise<Found[]> {
  const id = idSchema.safeParse(text.toLowerCase()).data;
  const ip = addressSchema.safeParse(text).data;
  const kinds = foundKinds.filter((kind) => actor.permissions.has(neededPermission[kind]));
  const results = await Promise.all(
    kinds.map(async (kind) =>
      (await lookups[kind](ctx, { text, id, ip, at }, actor)).map((result) => ({ kind, ...result })),
    ),
  );
  const found = new Map<string, Found>();
  const owners = results.flat().flatMap(({ owner, period }): Found[] => {
    if (owner === undefined || !actor.permissions.has(neededPermission.USER)) return [];
    return [{ kind: 'USER', id: owner.id, title: owner.email, detail: '', use: owner.use, ...(period && { period }) }];
  });
  for (const { owner: _, ...each } of [...owners, ...results.flat()] as (Found & Result)[])
    if (!found.has(each.id)) found.set(each.id, each);
  return [...found.values()];
}

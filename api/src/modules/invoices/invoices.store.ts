import type { Currency, InvoiceStatus } from '@cellhop/contract/invoices.values';
import type { InvoiceSort } from '@cellhop/contract/staff/lists.values';
import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';
import { type AddressSpace, addressSpaces } from '../../payments/currencies.ts';
import { toStoredAddresses, toStoredBeginning, toStoredTransactions } from '../../payments/search-normalisation.ts';

export interface InvoiceRow {
  id: string;
  userId: string;
  userEmail: string;
  amountMicros: bigint;
  dueUnits: bigint;
  rateE12: bigint;
  currency: Currency;
  addressId: bigint;
  /** The proof that the address is genuine. */
  space: AddressSpace;
  address: string;
  derivationIndex: bigint;
  mac: string;
  fingerprint: string;
  status: InvoiceStatus;
  expiredAt: Date;
  createdAt: Date;
}

/** The driver returns `numeric` as text. */
type Stored<Row extends { dueUnits: bigint; rateE12: bigint }> = Omit<Row, 'dueUnits' | 'rateE12'> & {
  dueUnits: string;
  rateE12: string;
};

function toRow<Row extends { dueUnits: bigint; rateE12: bigint }>(stored: Stored<Row>): Row {
  return { ...stored, dueUnits: BigInt(stored.dueUnits), rateE12: BigInt(stored.rateE12) } as unknown as Row;
}

/** @param source `invoices`, or some of its rows */
const selectFrom = (source: string) => `
  select invoices.id, invoices.user_id as "userId", email as "userEmail", amount_micros as "amountMicros",
         due_units as "dueUnits", rate_e12 as "rateE12", currency, address_id as "addressId", address,
         deposit_addresses.address_space as space, derivation_index as "derivationIndex", mac, fingerprint,
         invoices.status, expired_at as "expiredAt", invoices.created_at as "createdAt"
    from ${source} as invoices
    join deposit_addresses on deposit_addresses.id = address_id
    join wallet_accounts on wallet_accounts.id = wallet_account_id
    join readable_users as users on users.id = invoices.user_id`;
const SELECT_ROW = selectFrom('invoices');

export async function findInvoice(ctx: Ctx, id: string): Promise<InvoiceRow | undefined> {
  const [row] = await ctx.db.query<Stored<InvoiceRow>>(`${SELECT_ROW} where invoices.id = $1`, [id]);
  return row && toRow(row);
}

interface InvoiceFilter {
  /** Only this one; undefined: all. */
  id: string | undefined;
  hidesExpired: boolean;
}

/** $1: the user, $2: `id`, $3: `hidesExpired` */
const OF_USER = `invoices.user_id = $1 and ($2::uuid is null or invoices.id = $2)
  and not ($3 and invoices.status = 'EXPIRED')`;

export async function listOfUser(
  ctx: Ctx,
  userId: string,
  { id, hidesExpired }: InvoiceFilter,
  page: PageQuery,
): Promise<InvoiceRow[]> {
  const rows = await ctx.db.query<Stored<InvoiceRow>>(
    `${SELECT_ROW} where ${OF_USER} order by invoices.created_at desc, invoices.id limit $4 offset $5`,
    [userId, id ?? null, hidesExpired, page.size, toOffset(page)],
  );
  return rows.map((row) => toRow(row));
}

export async function countOfUser(ctx: Ctx, userId: string, { id, hidesExpired }: InvoiceFilter): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(`select count(*)::int as count from invoices where ${OF_USER}`, [
    userId,
    id ?? null,
    hidesExpired,
  ]);
  return row!.count;
}

export interface RecentInvoices {
  count: number;
  /** Until the oldest of them leaves the window; null if there are none. */
  untilFewerSeconds: number | null;
}

/** The user's invoices of the last hour. */
export async function countRecent(ctx: Ctx, userId: string): Promise<RecentInvoices> {
  const [row] = await ctx.db.query<RecentInvoices>(
    `select count(*)::int as count,
            ceil(extract(epoch from min(created_at) + interval '1 hour' - now()))::int as "untilFewerSeconds"
       from invoices where user_id = $1 and created_at > now() - interval '1 hour'`,
    [userId],
  );
  return row!;
}

/** Closes the open invoice of this user and currency. */
export async function closeOpenInvoice(ctx: Ctx, userId: string, currency: Currency): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `update invoices set is_open = false, expired_at = least(expired_at, date_trunc('milliseconds', now()))
      where user_id = $1 and currency = $2 and is_open returning id`,
    [userId, currency],
  );
  return rows.map((row) => row.id);
}

/** Ends one open invoice now. */
export async function closeInvoice(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.query(
    `update invoices set is_open = false, expired_at = least(expired_at, date_trunc('milliseconds', now()))
      where id = $1 and is_open`,
    [id],
  );
}

export interface NewInvoice {
  userId: string;
  currency: Currency;
  amountMicros: bigint;
  dueUnits: bigint;
  rateE12: bigint;
  addressId: bigint;
  lifetimeMs: number;
}

export async function insertInvoice(ctx: Ctx, invoice: NewInvoice): Promise<string> {
  const [row] = await ctx.db.query<{ id: string }>(
    `insert into invoices (user_id, currency, amount_micros, due_units, rate_e12, address_id, expired_at)
     values ($1, $2, $3, $4, $5, $6, date_trunc('milliseconds', now()) + $7 * interval '1 millisecond') returning id`,
    [
      invoice.userId,
      invoice.currency,
      invoice.amountMicros,
      invoice.dueUnits,
      invoice.rateE12,
      invoice.addressId,
      invoice.lifetimeMs,
    ],
  );
  return row!.id;
}

export interface LockedInvoice {
  id: string;
  userId: string;
  currency: Currency;
  dueUnits: bigint;
  rateE12: bigint;
  status: InvoiceStatus;
  expiredAt: Date;
  hasEnded: boolean;
}

/** Locks in the order of ids. */
export async function lockInvoices(ctx: Ctx, ids: readonly string[]): Promise<LockedInvoice[]> {
  const rows = await ctx.db.query<Stored<LockedInvoice>>(
    `select id, user_id as "userId", currency, due_units as "dueUnits", rate_e12 as "rateE12", status, expired_at as "expiredAt",
            expired_at <= clock_timestamp() as "hasEnded"
       from invoices where id = any($1::uuid[]) order by id for no key update`,
    [ids],
  );
  return rows.map((row) => toRow(row));
}

/** Locks expired open invoices; skips those that another transaction has locked. */
export async function lockExpired(ctx: Ctx, limit: number): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `select id from invoices where is_open and expired_at <= now()
      order by expired_at limit $1 for no key update skip locked`,
    [limit],
  );
  return rows.map((row) => row.id);
}

export async function saveStatus(ctx: Ctx, id: string, status: InvoiceStatus, isOpen: boolean): Promise<void> {
  await ctx.db.query('update invoices set status = $2, is_open = is_open and $3 where id = $1', [id, status, isOpen]);
}

/** Null: any. */
export interface AllInvoicesFilter {
  userId: string | null;
  statuses: readonly InvoiceStatus[] | null;
  currencies: readonly Currency[] | null;
  from: Date | null;
  to: Date | null;
  amountMinMicros: bigint | null;
  amountMaxMicros: bigint | null;
  /** Those after this invoice in the default order. */
  afterId?: string | null;
}

const ORDERS: Record<InvoiceSort, string> = {
  '-createdAt': 'invoices.created_at desc, invoices.id',
  createdAt: 'invoices.created_at, invoices.id desc',
  '-amount': 'invoices.amount_micros desc, invoices.id desc',
  amount: 'invoices.amount_micros, invoices.id',
};

const CONDITION = `
  ($1::uuid is null or user_id = $1) and ($2::text[] is null or status = any($2)) and ($3::text[] is null or currency = any($3))
  and ($4::timestamptz is null or created_at >= $4) and ($5::timestamptz is null or created_at < $5)
  and ($6::bigint is null or amount_micros >= $6) and ($7::bigint is null or amount_micros <= $7)
  and ($8::uuid is null or created_at <= (select created_at from invoices where id = $8)
       and (created_at < (select created_at from invoices where id = $8) or id > $8))`;

/** Finds the ids first, by an index-only scan if the index has all columns of the filters. Not prepared: plans depend on the filters. */
export async function listInvoices(
  ctx: Ctx,
  filter: AllInvoicesFilter,
  sort: InvoiceSort,
  page: PageQuery,
): Promise<InvoiceRow[]> {
  const order = ORDERS[sort];
  const rows = await ctx.db.query<Stored<InvoiceRow>>(
    `${selectFrom(`(
       select invoices.* from (select id from invoices where ${CONDITION} order by ${order} limit $9 offset $10) as page
         join invoices using (id))`)} order by ${order}`,
    [...toValues(filter), page.size, toOffset(page)],
    { isPrepared: false },
  );
  return rows.map((row) => toRow(row));
}

export async function countInvoices(ctx: Ctx, filter: AllInvoicesFilter, limit: number): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count from (select from invoices where ${CONDITION} limit $9) as listed`,
    [...toValues(filter), limit],
    { isPrepared: false },
  );
  return row!.count;
}

/** The first characters of an address are the same for all of a chain; after these few begin with the same ones. */
const ADDRESS_PREFIX_LENGTH_MIN = 8;
const ADDRESSES_MAX = 20;

/** @param text an address or its beginning, or a transaction, in any written form */
export async function findByAddressOrTransaction(ctx: Ctx, text: string, limit: number): Promise<InvoiceRow[]> {
  const rows = await ctx.db.query<Stored<InvoiceRow>>(
    `${selectFrom(`(select * from invoices where id in (
       select id from invoices
        where address_id in (select id from deposit_addresses where address_space = any($2) and address = any($1)
                              union all (select id from deposit_addresses where address like $4 order by address limit $5))
       union select invoice_id from deposits where transaction_id = any($6))
      order by created_at desc, id limit $3)`)} order by invoices.created_at desc, invoices.id`,
    [
      toStoredAddresses(text),
      [...new Set(Object.values(addressSpaces))],
      limit,
      toPrefixPattern(toStoredBeginning(text)),
      ADDRESSES_MAX,
      toStoredTransactions(text),
    ],
    { isPrepared: false },
  );
  return rows.map((row) => toRow(row));
}

/** Null matches nothing. */
function toPrefixPattern(text: string): string | null {
  return text.length < ADDRESS_PREFIX_LENGTH_MIN ? null : `${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

function toValues(filter: AllInvoicesFilter): unknown[] {
  const { userId, statuses, currencies, from, to, amountMinMicros, amountMaxMicros, afterId = null } = filter;
  return [userId, statuses, currencies, from, to, amountMinMicros, amountMaxMicros, afterId];
}

import type { Currency, InvoiceStatus } from '@cellhop/contract/invoices.values';
import type { InvoiceSort } from '@cellhop/contract/staff/lists.values';
import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';
import { addressSpaces } from '../../payments/currencies.ts';
import { toStoredAddresses, toStoredBeginning, toStoredTransactions } from '../../payments/search-normalisation.ts';
import { selectFrom, toRow, type InvoiceRow, type Stored } from './invoices.store.ts';

/** Null: any. */
export interface InvoiceFilter {
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
  filter: InvoiceFilter,
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

export async function countInvoices(ctx: Ctx, filter: InvoiceFilter, limit: number): Promise<number> {
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

function toValues(filter: InvoiceFilter): unknown[] {
  const { userId, statuses, currencies, from, to, amountMinMicros, amountMaxMicros, afterId = null } = filter;
  return [userId, statuses, currencies, from, to, amountMinMicros, amountMaxMicros, afterId];
}

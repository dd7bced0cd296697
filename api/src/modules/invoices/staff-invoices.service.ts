/** Invoices of all users, for staff. */
import { AppError } from '@cellhop/contract/errors';
import type { Currency, InvoiceStatus } from '@cellhop/contract/invoices.values';
import type { InvoiceSort } from '@cellhop/contract/staff/lists.values';
import type { StaffInvoice, StaffInvoiceDetail, UnassignedPayment } from '@cellhop/contract/staff/invoices';
import { toDollars } from '@cellhop/contract/units';
import type { Actor } from '../../http/actor.ts';
import type { Requester } from '../../http/requester.ts';
import type { Ctx } from '../../ctx.ts';
import { readListed, type PageQuery } from '../../http/paging.ts';
import { formatUnits } from '../../payments/amounts.ts';
import { exportList } from '../audit-log/export.service.ts';
import * as assignments from './assignments.service.ts';
import * as deposits from './deposit-lists.store.ts';
import type { Deposit } from './deposits.store.ts';
import { depositsFor, presentDetail, presentForStaff, readFacts } from './invoice-presenter.ts';
import * as invoices from './invoices.store.ts';
import { amountDue, rulesOf } from './invoice-amounts.ts';

export { listOfPayers } from './deposit-lists.store.ts';

interface InvoiceQuery {
  userId?: string | undefined;
  status?: InvoiceStatus[] | undefined;
  currency?: Currency[] | undefined;
  from?: string | undefined;
  to?: string | undefined;
  amountMin?: number | undefined;
  amountMax?: number | undefined;
}

interface ListQuery extends InvoiceQuery, PageQuery {
  sort: InvoiceSort;
}

export async function listAll(ctx: Ctx, query: ListQuery) {
  const filter = toFilter(query);
  const { rows, ...pages } = await readListed(query, {
    list: () => invoices.listInvoices(ctx, filter, query.sort, query),
    count: (limit) => invoices.countInvoices(ctx, filter, limit),
  });
  return { data: await presentAll(ctx, rows), ...pages };
}

async function presentAll(ctx: Ctx, rows: readonly invoices.InvoiceRow[]): Promise<StaffInvoice[]> {
  const ids = rows.map(({ id }) => id);
  const all = await deposits.listOfInvoices(ctx, ids);
  const facts = await readFacts(ctx, all);
  return rows.map((row) => presentForStaff(row, depositsFor(row, all), facts));
}

/** As a file. @throws AppError VALIDATION */
export function exportInvoices(ctx: Ctx, by: { actor: Actor; requester: Requester }, query: InvoiceQuery) {
  const filter = toFilter(query);
  return exportList<StaffInvoice>(ctx, by, {
    action: 'INVOICES_EXPORTED',
    subjectType: 'INVOICE',
    fileName: 'invoices.csv',
    filter: { ...query },
    count: (limit) => invoices.countInvoices(ctx, filter, limit),
    list: async (afterId, size) =>
      presentAll(ctx, await invoices.listInvoices(ctx, { ...filter, afterId }, '-createdAt', { page: 1, size })),
    columns: {
      id: ({ id }) => id,
      userId: ({ user }) => user.id,
      email: ({ user }) => user.email,
      amount: ({ amount }) => amount,
      amountInCurrency: ({ amountInCurrency }) => amountInCurrency,
      currency: ({ currency }) => currency,
      address: ({ address }) => address,
      status: ({ status }) => status,
      received: ({ payment }) => payment?.received ?? '0',
      credited: ({ payment }) => payment?.credited ?? 0,
      createdAt: ({ createdAt }) => createdAt,
      expiredAt: ({ expiredAt }) => expiredAt,
    },
  });
}

export interface FoundInvoice {
  id: string;
  amount: number;
  currency: Currency;
  user: { id: string; email: string };
}

/** Invoices by their id, or by the address or a transaction of their deposits; the newest. */
export async function findByReference(
  ctx: Ctx,
  { text, id }: { text: string; id: string | undefined },
  limit: number,
): Promise<FoundInvoice[]> {
  const one = id === undefined ? undefined : await invoices.findInvoice(ctx, id);
  const rows = id === undefined ? await invoices.findByAddressOrTransaction(ctx, text, limit) : one ? [one] : [];
  return rows.map((row) => ({
    id: row.id,
    amount: toDollars(row.amountMicros),
    currency: row.currency,
    user: { id: row.userId, email: row.userEmail },
  }));
}

/** @throws AppError NOT_FOUND */
export async function showDetail(ctx: Ctx, id: string): Promise<StaffInvoiceDetail> {
  const row = await invoices.findInvoice(ctx, id);
  if (!row) throw new AppError('NOT_FOUND', { thing: 'Invoice' });
  const all = await deposits.listOfInvoices(ctx, [id]);
  const { amountMicros } = amountDue(row, all.filter(deposits.isCounted));
  return presentDetail(row, all, await deposits.listOfReusedAddress(ctx, id), amountMicros, await readFacts(ctx, all));
}

/** Payments to deleted accounts, which are never credited: the operator returns them, or keeps them; and those that staff may give to a customer. */
export async function listUnassigned(ctx: Ctx, page: PageQuery) {
  const { rows, ...pages } = await readListed(page, {
    list: () => deposits.listUnassigned(ctx, page),
    count: (limit) => deposits.countUnassigned(ctx, limit),
  });
  return { data: await Promise.all(rows.map((row) => presentUnassigned(ctx, row))), ...pages };
}

async function presentUnassigned(ctx: Ctx, deposit: Deposit): Promise<UnassignedPayment> {
  const rules = rulesOf(deposit);
  return {
    id: deposit.id,
    currency: rules.currency,
    amountInCurrency: formatUnits(deposit.units, rules),
    state: deposit.state as UnassignedPayment['state'],
    transactionId: deposit.transactionId,
    sender: deposit.sender,
    address: deposit.address,
    userId: deposit.userId,
    arrivedAt: deposit.arrivedAt.toISOString(),
    value: await assignments.readValue(ctx, deposit),
  };
}

function toFilter({
  userId,
  status,
  currency,
  from,
  to,
  amountMin,
  amountMax,
}: InvoiceQuery): invoices.AllInvoicesFilter {
  return {
    userId: userId ?? null,
    statuses: status ?? null,
    currencies: currency ?? null,
    from: from === undefined ? null : new Date(from),
    to: to === undefined ? null : new Date(to),
    amountMinMicros: amountMin === undefined ? null : BigInt(Math.ceil(amountMin * 1_000_000)),
    amountMaxMicros: amountMax === undefined ? null : BigInt(Math.floor(amountMax * 1_000_000)),
  };
}

/**
 * Suspended payments, for staff. Stablecoins are credited at one dollar, so while they do not trade at it, or while the rate is unknown, their
 * payments are suspended. They are credited when the peg returns. Before that, staff may credit one at its market price, or at one dollar
 * through the gate of approvals.
 */
import { AppError } from '@cellhop/contract/errors';
import type { SuspendedPayment } from '@cellhop/contract/staff/invoices';
import { toDollars } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import { readListed, type PageQuery } from '../../http/paging.ts';
import { formatRate, formatUnits, PAR_RATE_E12, toCreditMicros } from '../../payments/amounts.ts';
import type { Peg } from '../../payments/rates/quote.ts';
import { rateSource } from './chains.ts';
import { saveDecidedRate } from './deposit-changes.store.ts';
import * as store from './deposit-lists.store.ts';
import { lockWaitingForPeg, type OwnedDeposit } from './deposits.store.ts';
import { rulesOf } from './invoice-amounts.ts';

export async function listSuspended(ctx: Ctx, page: PageQuery) {
  const peg = await rateSource(ctx).peg();
  const { rows, ...pages } = await readListed(page, {
    list: () => store.listSuspended(ctx, page),
    count: (limit) => store.countSuspended(ctx, limit),
  });
  return { data: rows.map((row) => presentSuspended(row, peg)), ...pages };
}

export { countSuspended } from './deposit-lists.store.ts';

function presentSuspended(row: OwnedDeposit, peg: Peg): SuspendedPayment {
  const { id, transactionId, sender, invoice, arrivedAt } = row;
  const hold = row.hold!;
  const rules = rulesOf(row);
  const marketE12 = hold === 'DEPEG' ? marketRate(peg) : undefined;
  return {
    id,
    currency: rules.currency,
    amountInCurrency: formatUnits(row.units, rules),
    hold,
    transactionId,
    sender,
    invoiceId: invoice?.id ?? null,
    user: { id: row.userId, email: row.userEmail },
    arrivedAt: arrivedAt.toISOString(),
    marketRate: marketE12 === undefined ? null : formatRate(marketE12),
    marketValue: marketE12 === undefined ? null : toDollars(toCreditMicros(row.units, marketE12, rules)),
    parValue: hold === 'DEPEG' ? toDollars(toCreditMicros(row.units, PAR_RATE_E12, rules)) : null,
  };
}

/** The lower one of the market price and a dollar; undefined if the market price is unknown. */
function marketRate(peg: Peg): bigint | undefined {
  if (peg.isKept) return PAR_RATE_E12;
  return peg.marketE12 !== undefined && peg.marketE12 > PAR_RATE_E12 ? PAR_RATE_E12 : peg.marketE12;
}

/** Whom the deposit belongs to, suspended or not. */
export async function findOwner(ctx: Ctx, id: string): Promise<string | undefined> {
  return (await store.findDeposit(ctx, id))?.userId ?? undefined;
}

export interface WeighedDeposit {
  /** Undefined: its value is unknown. */
  marketE12: bigint | undefined;
  /** What one dollar for each coin would credit above that, or in all if that is unknown. */
  excessMicros: bigint;
}

/** Locks the deposit until the end of the transaction. @throws AppError CHANGED_ELSEWHERE if it is not suspended any more */
export async function weigh(ctx: Ctx, id: string): Promise<WeighedDeposit> {
  const row = await lockSuspended(ctx, id);
  const rules = rulesOf(row);
  const marketE12 = marketRate(await rateSource(ctx).peg());
  const parMicros = toCreditMicros(row.units, PAR_RATE_E12, rules);
  const marketMicros = marketE12 === undefined ? 0n : toCreditMicros(row.units, marketE12, rules);
  return { marketE12, excessMicros: parMicros - marketMicros };
}

/** The worker credits it at this rate. @returns the rate as text @throws AppError CHANGED_ELSEWHERE if it is not suspended any more */
export async function resumeAt(ctx: Ctx, id: string, rateE12: bigint): Promise<string> {
  const { userId } = await lockSuspended(ctx, id);
  await saveDecidedRate(ctx, id, rateE12);
  ctx.changed({ userId }, 'invoices');
  return formatRate(rateE12);
}

export function resumeAtPar(ctx: Ctx, id: string): Promise<string> {
  return resumeAt(ctx, id, PAR_RATE_E12);
}

async function lockSuspended(ctx: Ctx, id: string): Promise<OwnedDeposit> {
  const row = await lockWaitingForPeg(ctx, id);
  if (!row) throw new AppError('CHANGED_ELSEWHERE');
  return row;
}

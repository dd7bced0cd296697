/**
 * Stablecoins are credited at one dollar, so while they do not trade at it, or while nobody knows, their payments are held. They are
 * credited when the peg returns. Before that, staff may credit one at its market price, or at one dollar through the gate of approvals.
 */
import { AppError } from '@cellhop/contract/errors';
import type { HeldDeposit } from '@cellhop/contract/staff/invoices';
import { toDollars } from '@cellhop/contract/units';
import assert from 'node:assert/strict';
import type { Ctx } from '../../ctx.ts';
import { readListed, type PageQuery } from '../../http/paging.ts';
import { formatRate, formatUnits, PAR_RATE_E12, toCreditMicros } from '../../payments/amounts.ts';
import { type Chain, currencyRules, findCurrency } from '../../payments/currencies.ts';
import type { Peg } from '../../payments/rates/quote.ts';
import { notify } from '../notifications/notifications.service.ts';
import { rateSource } from './chains.ts';
import type { FinalDeposit } from './deposits.store.ts';
import * as store from './held-deposits.store.ts';

/** Ends the holds of a chain if the peg has returned. */
export async function endPegHolds(ctx: Ctx, chain: Chain): Promise<void> {
  if (!(await store.hasPegHolds(ctx, chain)) || !(await rateSource(ctx).peg()).isKept) return;
  await store.endPegHolds(ctx, chain);
}

/**
 * Whether one dollar may be credited for the stablecoin now; otherwise the deposit is held. The customer is told if the price is known: a
 * short outage of the sources of rates is over before anybody could do something.
 */
export async function isWorthPar(ctx: Ctx, deposit: Pick<FinalDeposit, 'id' | 'userId'>): Promise<boolean> {
  const peg = await rateSource(ctx).peg();
  if (peg.isKept) return true;
  await ctx.tx(async (ctx) => {
    if (!(await store.saveHold(ctx, deposit.id, 'DEPEG'))) return;
    ctx.changed({ userId: deposit.userId }, 'invoices');
    if (peg.marketE12 === undefined) return;
    await notify(ctx, deposit.userId, `deposit-held:${deposit.id}`, { kind: 'TOP_UP_HELD', details: {} });
  });
  return false;
}

export async function listHeld(ctx: Ctx, page: PageQuery) {
  const peg = await rateSource(ctx).peg();
  const { rows, ...pages } = await readListed(page, {
    list: () => store.listHeld(ctx, page),
    count: (limit) => store.countHeld(ctx, limit),
  });
  return { data: rows.map((row) => presentHeld(row, peg)), ...pages };
}

/** At most `limit`. */
export function countHeld(ctx: Ctx, limit: number): Promise<number> {
  return store.countHeld(ctx, limit);
}

function presentHeld(row: store.HeldRow, peg: Peg): HeldDeposit {
  const { id, hold, transactionId, invoiceId, arrivedAt } = row;
  const rules = rulesOf(row);
  const marketE12 = hold === 'DEPEG' ? marketRate(peg) : undefined;
  return {
    id,
    currency: rules.currency,
    amountInCurrency: formatUnits(row.units, rules),
    hold,
    transactionId,
    invoiceId,
    user: { id: row.userId, email: row.userEmail },
    arrivedAt: arrivedAt.toISOString(),
    marketRate: marketE12 === undefined ? null : formatRate(marketE12),
    marketValue: marketE12 === undefined ? null : toDollars(toCreditMicros(row.units, marketE12, rules)),
    parValue: hold === 'DEPEG' ? toDollars(toCreditMicros(row.units, PAR_RATE_E12, rules)) : null,
  };
}

function rulesOf({ id, chain, asset }: store.HeldRow) {
  const currency = findCurrency(chain, asset);
  assert(currency, `deposit ${id} is of the unknown asset ${asset}`);
  return { currency, ...currencyRules[currency] };
}

/** The lower one of the market price and a dollar; undefined if the market price is unknown. */
function marketRate(peg: Peg): bigint | undefined {
  if (peg.isKept) return PAR_RATE_E12;
  return peg.marketE12 !== undefined && peg.marketE12 > PAR_RATE_E12 ? PAR_RATE_E12 : peg.marketE12;
}

export { findOwner } from './held-deposits.store.ts';

export interface WeighedDeposit {
  /** Undefined: nobody knows what it is worth. */
  marketE12: bigint | undefined;
  /** What one dollar for each coin would credit above that, or in all if that is unknown. */
  excessMicros: bigint;
}

/** Locks the deposit until the end of the transaction. @throws AppError CHANGED_ELSEWHERE if it is not held any more */
export async function weigh(ctx: Ctx, id: string): Promise<WeighedDeposit> {
  const row = await lockHeld(ctx, id);
  const rules = rulesOf(row);
  const marketE12 = marketRate(await rateSource(ctx).peg());
  const parMicros = toCreditMicros(row.units, PAR_RATE_E12, rules);
  const marketMicros = marketE12 === undefined ? 0n : toCreditMicros(row.units, marketE12, rules);
  return { marketE12, excessMicros: parMicros - marketMicros };
}

/** The worker credits it at this rate. @returns the rate as text @throws AppError CHANGED_ELSEWHERE if it is not held any more */
export async function releaseAt(ctx: Ctx, id: string, rateE12: bigint): Promise<string> {
  const { userId } = await lockHeld(ctx, id);
  await store.saveDecidedRate(ctx, id, rateE12);
  ctx.changed({ userId }, 'invoices');
  return formatRate(rateE12);
}

export function releaseAtPar(ctx: Ctx, id: string): Promise<string> {
  return releaseAt(ctx, id, PAR_RATE_E12);
}

async function lockHeld(ctx: Ctx, id: string): Promise<store.HeldRow> {
  const row = await store.lockPegHold(ctx, id);
  if (!row) throw new AppError('CHANGED_ELSEWHERE');
  return row;
}

/** Payments to addresses that a restore of the database has taken from their customers, which staff give to a customer. */
import { AppError } from '@cellhop/contract/errors';
import { toDollars } from '@cellhop/contract/units';
import assert from 'node:assert/strict';
import type { Ctx } from '../../ctx.ts';
import { PAR_RATE_E12, toCreditMicros } from '../../payments/amounts.ts';
import { currencyRules, findCurrency } from '../../payments/currencies.ts';
import { rateSource } from './chains.ts';
import * as store from './unassigned.store.ts';

type Valued = Pick<store.UnassignedRow, 'id' | 'chain' | 'asset' | 'units' | 'arrivedAt' | 'arrivalRateE12'>;

/** What the worker will credit for it, at least a micro-dollar. @returns undefined while there is no rate */
async function valueMicros(ctx: Ctx, deposit: Valued): Promise<bigint | undefined> {
  const currency = findCurrency(deposit.chain, deposit.asset);
  assert(currency, `deposit ${deposit.id} is of the unknown asset ${deposit.asset}`);
  const rules = currencyRules[currency];
  const rateE12 = rules.isStable
    ? PAR_RATE_E12
    : (deposit.arrivalRateE12 ?? (await rateSource(ctx).rateE12At(currency, deposit.arrivedAt)));
  const micros = rateE12 === undefined ? 0n : toCreditMicros(deposit.units, rateE12, rules);
  return micros > 0n ? micros : undefined;
}

/** In US dollars; null if nobody can be given the payment, or not yet. */
export async function readValue(ctx: Ctx, row: store.UnassignedRow): Promise<number | null> {
  if (row.userId !== null || row.state !== 'FINAL') return null;
  const micros = await valueMicros(ctx, row);
  return micros === undefined ? null : toDollars(micros);
}

/** @returns undefined while there is no rate @throws AppError NOT_FOUND */
export async function readValueMicros(ctx: Ctx, id: string): Promise<bigint | undefined> {
  const deposit = await store.findLost(ctx, id);
  if (!deposit) throw new AppError('NOT_FOUND', { thing: 'Payment' });
  return valueMicros(ctx, deposit);
}

/** Locks the deposit. @throws AppError CHANGED_ELSEWHERE unless it is final, and given to nobody yet */
export async function requireUnassigned(ctx: Ctx, id: string): Promise<void> {
  if (!(await store.lockUnassigned(ctx, id))) throw new AppError('CHANGED_ELSEWHERE');
}

/** The worker credits it like any payment of the customer. @throws AppError CHANGED_ELSEWHERE if it was given to somebody meanwhile */
export async function assign(ctx: Ctx, id: string, userId: string): Promise<void> {
  await requireUnassigned(ctx, id);
  await store.saveAssigned(ctx, id, userId);
  ctx.changed({ userId }, 'invoices');
}

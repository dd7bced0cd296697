/** Payments to addresses that a restore of the database has taken from their customers, which staff give to a customer. */
import { AppError } from '@cellhop/contract/errors';
import { toDollars } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import { PAR_RATE_E12, toCreditMicros } from '../../payments/amounts.ts';
import { rateSource } from './chains.ts';
import { saveAssigned } from './deposit-changes.store.ts';
import { findDeposit, lockUnassigned } from './deposit-lists.store.ts';
import type { Deposit } from './deposits.store.ts';
import { rulesOf } from './invoice-amounts.ts';

/** What the worker will credit for it, at least a micro-dollar. @returns undefined while there is no rate */
async function valueMicros(ctx: Ctx, deposit: Deposit): Promise<bigint | undefined> {
  const rules = rulesOf(deposit);
  const rateE12 = rules.isStable
    ? PAR_RATE_E12
    : (deposit.arrivalRateE12 ?? (await rateSource(ctx).rateE12At(rules.currency, deposit.arrivedAt)));
  const micros = rateE12 === undefined ? 0n : toCreditMicros(deposit.units, rateE12, rules);
  return micros > 0n ? micros : undefined;
}

/** In US dollars; null if the payment cannot be assigned, or not yet. */
export async function readValue(ctx: Ctx, deposit: Deposit): Promise<number | null> {
  if (deposit.userId !== null || deposit.state !== 'FINAL') return null;
  const micros = await valueMicros(ctx, deposit);
  return micros === undefined ? null : toDollars(micros);
}

/** @returns undefined while there is no rate @throws AppError NOT_FOUND unless its address has lost its customer */
export async function readValueMicros(ctx: Ctx, id: string): Promise<bigint | undefined> {
  const deposit = await findDeposit(ctx, id);
  if (!deposit?.isLost) throw new AppError('NOT_FOUND', { thing: 'Payment' });
  return valueMicros(ctx, deposit);
}

/** Locks the deposit. @throws AppError CHANGED_ELSEWHERE unless it is final and unassigned */
export async function requireUnassigned(ctx: Ctx, id: string): Promise<void> {
  if (!(await lockUnassigned(ctx, id))) throw new AppError('CHANGED_ELSEWHERE');
}

/** The worker credits it like any payment of the customer. @throws AppError CHANGED_ELSEWHERE if it was given to somebody meanwhile */
export async function assign(ctx: Ctx, id: string, userId: string): Promise<void> {
  await requireUnassigned(ctx, id);
  await saveAssigned(ctx, id, userId);
  ctx.changed({ userId }, 'invoices');
}

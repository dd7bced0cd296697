/**
 * Maintains the sums of the dashboard. Each step is one transaction under the lock of the mark, so that it can be interrupted, repeated, and
 * run by several workers at once.
 */
import type { Ctx } from '../../ctx.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { recordTraffic } from '../usage/usage.service.ts';
import * as store from './sums.store.ts';

const TRANSFERS_PER_BATCH = 20_000;
const HOUR_MS = 3_600_000;
/** After a long pause, hours are counted in batches. */
const HOURS_PER_BATCH = 24 * 7;
/** An hour is final after this time: by then its transactions have been committed. */
const SETTLED_AFTER_MS = 60_000;
/** Many connections may have had traffic in one batch of hours. */
const COUNT_LIMIT_MS = 60_000;

export async function updateSums(ctx: Ctx): Promise<void> {
  await addTransfers(ctx);
  await countHours(ctx);
  await ctx.tx((ctx) => store.countProxies(ctx), { timeLimitMs: COUNT_LIMIT_MS });
}

/** Adds transfers, which never change, up to a minute ago. Runs often, because each request has to add the rest. */
export async function addTransfers(ctx: Ctx): Promise<void> {
  const settled = await ledger.findSettledTransfer(ctx);
  for (;;) {
    const mark = await store.readMark(ctx);
    const to = await ledger.findEnd(ctx, mark, settled, TRANSFERS_PER_BATCH);
    if (to === null || !(await ctx.tx((ctx) => store.addTransfers(ctx, mark, to)))) return;
  }
}

/** Counts traffic and sign-ups of the hours that are not final again. */
async function countHours(ctx: Ctx): Promise<void> {
  const now = await store.readClock(ctx);
  // Saves the counters of earlier hours, so that the rows of these hours are complete.
  await recordTraffic(ctx);
  const final = startOfHour(now.getTime() - SETTLED_AFTER_MS);
  const end = startOfHour(now.getTime()) + HOUR_MS;
  for (let from = 0; from < end;) {
    const counted = await ctx.tx((ctx) => countBatch(ctx, final, end), { timeLimitMs: COUNT_LIMIT_MS });
    if (counted === undefined) return;
    from = counted;
  }
}

/** @returns the end of the counted hours; undefined if another worker is counting */
async function countBatch(ctx: Ctx, final: number, end: number): Promise<number | undefined> {
  const mark = await store.lockHour(ctx);
  if (mark === undefined) return undefined;
  const from = mark.getTime();
  const to = Math.min(from + HOURS_PER_BATCH * HOUR_MS, end);
  await store.countTraffic(ctx, mark, new Date(to));
  await store.countSignUps(ctx, mark, new Date(to));
  await store.saveHour(ctx, new Date(Math.max(from, Math.min(to, final))));
  return to;
}

function startOfHour(time: number): number {
  return Math.floor(time / HOUR_MS) * HOUR_MS;
}

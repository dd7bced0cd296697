/** The clocks of this machine and of the database, which tokens and leases compare. */
import type { Ctx } from '../ctx.ts';

const COMPARED_EVERY_MS = 60_000;
const WARNED_FROM_MS = 5_000;
const REFUSED_FROM_MS = 60_000;

/** How far this clock is ahead of the database's, at least: less what the round trip may explain. */
async function readSkewMs(ctx: Ctx, limit: { responseTimeoutMs?: number } = {}): Promise<number> {
  const sentAt = Date.now();
  const startedAt = performance.now();
  const [row] = await ctx.db.query<{ ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
    [],
    limit,
  );
  const halfTripMs = (performance.now() - startedAt) / 2;
  const skewMs = sentAt + halfTripMs - row!.ms;
  return Math.sign(skewMs) * Math.max(0, Math.abs(skewMs) - halfTripMs);
}

function describe(skewMs: number): string {
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  return `The clock of this machine is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} that of the database: synchronise both.`;
}

/** @returns a sentence if the clocks differ so much that tokens and times are wrong */
export async function findClockProblem(ctx: Ctx, limit: { responseTimeoutMs?: number }): Promise<string | undefined> {
  const skewMs = await readSkewMs(ctx, limit);
  return Math.abs(skewMs) < REFUSED_FROM_MS ? undefined : describe(skewMs);
}

async function warnOfClock(ctx: Ctx): Promise<void> {
  const skewMs = await readSkewMs(ctx);
  if (Math.abs(skewMs) >= WARNED_FROM_MS) ctx.log.warn({ skewMs: Math.round(skewMs) }, describe(skewMs));
}

/** Warns of a difference, now and every minute. @returns a function that stops it */
export function watchClock(ctx: Ctx): () => void {
  const compare = () =>
    void warnOfClock(ctx).catch((error: unknown) => ctx.log.debug({ err: error }, 'the clocks could not be compared'));
  compare();
  const timer = setInterval(compare, COMPARED_EVERY_MS);
  return () => clearInterval(timer);
}

/** Safe to run in several workers at once. */
export async function correctFutureTimes(ctx: Ctx): Promise<void> {
  await ctx.db.query('select correct_future_times()');
}

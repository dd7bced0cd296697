/**
 * Checks that each balance is the sum of its entries. An incremental check compares balances with stored sums of older entries plus
 * the entries since; a full check sums every entry. Both work in chunks, and are exact while money moves, because each comparison is
 * one statement on one snapshot.
 */
import type { Ctx } from '../../ctx.ts';
import { BROKEN_MAX, readChunks, type InvariantCheck, type Walk } from '../../db/invariant.ts';
import * as store from './sums.store.ts';

/** Entries added to the stored sums per transaction. */
const ENTRIES_PER_UPDATE = 20_000;
/** Accounts with more entries are summed separately, in batches. */
const ENTRIES_MAX = 5000;
const SUM_BATCH = 20_000;
/** A transfer committed while its account is summed, more than a minute after it was posted, is included by the second attempt. */
const EXACT_ATTEMPTS = 2;

const accounts = (rowsMax: number): Walk => ({
  next: 'select account_id as key from balances where account_id > $1::bigint order by account_id limit $2',
  rows: 'balances.account_id > $1::bigint and balances.account_id <= $2::bigint',
  rowsMax,
  from: () => '0',
});
const comparedAccounts = accounts(20_000);
const summedAccounts = accounts(500);

/**
 * Adds entries up to a transfer to the stored sums. It can be interrupted and continued, and several processes may run it at once: the mark
 * moves with the sums, and a process that finds it moved stops.
 */
export async function updateStoredSums(
  ctx: Ctx,
  upToTransferId: bigint,
  step: () => Promise<void> = async () => {},
): Promise<void> {
  for (;;) {
    await step();
    const mark = await store.readMark(ctx);
    const to = await store.findEnd(ctx, mark, upToTransferId, ENTRIES_PER_UPDATE);
    if (to === null || !(await ctx.tx((ctx) => store.addEntries(ctx, mark, to)))) return;
  }
}

/** @returns violations of accounts whose balance differs */
export async function findDifferingBalances(ctx: Ctx, check: InvariantCheck): Promise<string[]> {
  if (!check.isFull) await updateStoredSums(ctx, await store.findSettledTransfer(ctx), () => check.step());
  const broken: string[] = [];
  for await (const chunk of readChunks(ctx, check, check.isFull ? summedAccounts : comparedAccounts)) {
    const suspects = await withStableMark(ctx, (mark) =>
      check.isFull
        ? store.findSuspectsAmongAll(ctx, summedAccounts.rows, chunk, mark, ENTRIES_MAX)
        : store.findSuspects(ctx, comparedAccounts.rows, chunk, mark),
    );
    for (const accountId of suspects) {
      const violation = await compareExactly(ctx, check, accountId);
      if (violation !== undefined) broken.push(violation);
    }
    if (broken.length >= BROKEN_MAX) break;
  }
  return broken;
}

/** Repeats the work if the mark has moved meanwhile: the statement gets the mark as a value, so its result would be wrong. */
async function withStableMark<T>(ctx: Ctx, work: (mark: bigint) => Promise<T>): Promise<T> {
  for (;;) {
    const mark = await store.readMark(ctx);
    const result = await work(mark);
    if ((await store.readMark(ctx)) === mark) return result;
  }
}

/** Sums all entries of an account, and corrects its stored sum if it was wrong. @returns the violation, if any */
async function compareExactly(ctx: Ctx, check: InvariantCheck, accountId: bigint): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    const mark = await store.readMark(ctx);
    const settled = await store.findSettledTransfer(ctx);
    const stored = await sumEntries(ctx, check, accountId, store.BEFORE_FIRST, mark);
    const older = stored + (await sumEntries(ctx, check, accountId, mark, settled));
    await check.step();
    const compared = await store.compareBalance(ctx, accountId, older, settled > mark ? settled : mark);
    if (compared.balanceMicros === compared.entriesMicros) {
      await store.correctSum(ctx, accountId, stored, mark);
      return undefined;
    }
    if (attempt === EXACT_ATTEMPTS)
      return `account ${accountId} has ${compared.balanceMicros}, its entries sum to ${compared.entriesMicros}`;
  }
}

async function sumEntries(
  ctx: Ctx,
  check: InvariantCheck,
  accountId: bigint,
  after: bigint,
  upTo: bigint,
): Promise<bigint> {
  let micros = 0n;
  for (let last = after; last < upTo;) {
    await check.step();
    const next = await store.sumNextEntries(ctx, accountId, last, upTo, SUM_BATCH);
    micros += next.micros;
    if (next.lastTransferId === null || next.count < SUM_BATCH) break;
    last = next.lastTransferId;
  }
  return micros;
}

/**
 * Is each balance the sum of its entries? Balances are compared with remembered sums of all older entries and the few
 * entries since; a whole audit adds up every entry. Either way in chunks, and exact while money moves: each comparison is
 * one statement, which sees one moment.
 */
import type { Ctx } from '../../ctx.ts';
import { BROKEN_MAX, chunksOf, type AuditRun, type Walk } from '../../invariant.ts';
import * as store from './sums.store.ts';

/** Entries that are added to the remembered sums in one transaction. */
const ADDED_AT_ONCE = 20_000;
/** Accounts with more entries than this are added up alone, piece by piece. */
const ENTRIES_MAX = 5000;
const PIECE_ENTRIES = 20_000;
/** A transfer that is committed while its account is added up, more than a minute after it was posted, is seen the next time. */
const EXACT_ATTEMPTS = 2;

const accounts = (rowsMax: number): Walk => ({
  next: 'select account_id as key from balances where account_id > $1::bigint order by account_id limit $2',
  rows: 'balances.account_id > $1::bigint and balances.account_id <= $2::bigint',
  rowsMax,
  from: () => '0',
});
const comparedAccounts = accounts(20_000);
const addedAccounts = accounts(500);

/**
 * Adds entries up to a transfer to the remembered sums. It may stop anywhere and go on later, and several processes may
 * do it at once: the mark moves with the sums, and who finds that it has moved leaves it to the other.
 */
export async function rememberSums(
  ctx: Ctx,
  upToTransferId: bigint,
  step: () => Promise<void> = async () => {},
): Promise<void> {
  for (;;) {
    await step();
    const mark = await store.readMark(ctx);
    const to = await store.findEnd(ctx, mark, upToTransferId, ADDED_AT_ONCE);
    if (to === null || !(await ctx.tx((ctx) => store.addEntries(ctx, mark, to)))) return;
  }
}

/** @returns sentences about accounts whose balance differs */
export async function findDifferingBalances(ctx: Ctx, run: AuditRun): Promise<string[]> {
  if (!run.isWhole) await rememberSums(ctx, await store.findSettledTransfer(ctx), () => run.step());
  const broken: string[] = [];
  for await (const chunk of chunksOf(ctx, run, run.isWhole ? addedAccounts : comparedAccounts)) {
    const suspects = await atOneMark(ctx, (mark) =>
      run.isWhole
        ? store.findSuspectsAmongAll(ctx, addedAccounts.rows, chunk, mark, ENTRIES_MAX)
        : store.findSuspects(ctx, comparedAccounts.rows, chunk, mark),
    );
    for (const accountId of suspects) {
      const sentence = await judgeExactly(ctx, run, accountId);
      if (sentence !== undefined) broken.push(sentence);
    }
    if (broken.length >= BROKEN_MAX) break;
  }
  return broken;
}

/** The mark is given as a value, so that the statement is planned for it; if it has moved by then, all sums look wrong. */
async function atOneMark<T>(ctx: Ctx, work: (mark: bigint) => Promise<T>): Promise<T> {
  for (;;) {
    const mark = await store.readMark(ctx);
    const result = await work(mark);
    if ((await store.readMark(ctx)) === mark) return result;
  }
}

/** Adds up all entries of an account, however many. What was remembered wrongly is put right. */
async function judgeExactly(ctx: Ctx, run: AuditRun, accountId: bigint): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    const mark = await store.readMark(ctx);
    const settled = await store.findSettledTransfer(ctx);
    const remembered = await addUp(ctx, run, accountId, store.BEFORE_FIRST, mark);
    const older = remembered + (await addUp(ctx, run, accountId, mark, settled));
    await run.step();
    const compared = await store.compareBalance(ctx, accountId, older, settled > mark ? settled : mark);
    if (compared.balanceMicros === compared.entriesMicros) {
      await store.correctSum(ctx, accountId, remembered, mark);
      return undefined;
    }
    if (attempt === EXACT_ATTEMPTS)
      return `account ${accountId} has ${compared.balanceMicros}, its entries sum to ${compared.entriesMicros}`;
  }
}

async function addUp(ctx: Ctx, run: AuditRun, accountId: bigint, after: bigint, upTo: bigint): Promise<bigint> {
  let micros = 0n;
  for (let last = after; last < upTo;) {
    await run.step();
    const piece = await store.addPiece(ctx, accountId, last, upTo, PIECE_ENTRIES);
    micros += piece.micros;
    if (piece.lastTransferId === null || piece.count < PIECE_ENTRIES) break;
    last = piece.lastTransferId;
  }
  return micros;
}

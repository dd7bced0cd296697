/** After the database was restored to an earlier minute: addresses that were shown in the lost time are not given to others. */
import type { Ctx } from '../../ctx.ts';
import type { AddressSpace } from '../../payments/currencies.ts';
import * as store from './addresses.store.ts';
import { accountFingerprint, deriveAddress } from './chains.ts';
import { findSkipped, type SkippedAccount } from './witness.service.ts';
import { readWitness } from './witness-file.ts';
import { readWitnessTime } from './witness.store.ts';

/** More were never shown in the time that a restore loses: the witness is wrong. */
const SKIPPED_MAX = 100_000n;
const WATCHED_DAYS = 30;
const SKIPPED_MIN = 200n;

export interface Restored {
  /** What was lost; `from` undefined: unknown, `until` undefined: without a witness. */
  lost: { from: Date | undefined; until: Date | undefined };
  /** The newest invoice of this database. */
  newestInvoiceAt: Date | undefined;
  skipped: { space: AddressSpace; count: bigint }[];
}

/**
 * @param count of addresses to skip in each account if there is no witness
 * @throws Error with a sentence for the operator
 */
export async function skipShown(ctx: Ctx, file: string, count: bigint | undefined): Promise<Restored> {
  const witness = await readWitness(file);
  if (witness && count !== undefined)
    throw new Error(
      `There is a witness, ${file}, so that no number is needed. Only if the API has begun it anew after the restore it does not know what was ` +
        'lost: then stop API and worker, delete the file, and run this again.',
    );
  return ctx.tx(async (ctx) => {
    const accounts = await store.lockWalletAccounts(ctx);
    const newestInvoiceAt = await store.findNewestInvoiceTime(ctx);
    if (!witness && count === undefined) {
      const proposed = await proposeCount(ctx, newestInvoiceAt);
      throw new Error(
        `There is no witness at ${file}. Say how many addresses of each account may have been shown in the lost time, rather too many ` +
          `than too few: --skip ${proposed}`,
      );
    }
    const all: SkippedAccount[] = witness
      ? findSkipped(accounts, witness)
      : accounts.map((account) => ({ account, shownIndex: account.nextIndex + count! - 1n }));
    const skipped: Restored['skipped'] = [];
    for (const each of all) skipped.push({ space: each.account.space, count: await skip(ctx, each) });
    const lost = witness
      ? { from: await readWitnessTime(ctx), until: new Date(witness.writtenAt) }
      : // A witness that has begun anew since the restore says nothing about it.
        { from: undefined, until: undefined };
    return { lost, newestInvoiceAt, skipped };
  });
}

/** Twice the most that such a time ever took. */
async function proposeCount(ctx: Ctx, newestInvoiceAt: Date | undefined): Promise<bigint> {
  const lostMs = newestInvoiceAt ? Date.now() - newestInvoiceAt.getTime() : 0;
  const most = await store.countMostWithin(ctx, lostMs);
  return 2n * most > SKIPPED_MIN ? 2n * most : SKIPPED_MIN;
}

async function skip(ctx: Ctx, { account, shownIndex }: SkippedAccount): Promise<bigint> {
  const { id, space, fingerprint, nextIndex } = account;
  const count = shownIndex + 1n - nextIndex;
  if (count > SKIPPED_MAX)
    throw new Error(`The witness is ${count} addresses ahead in ${space}: it cannot be of this database.`);
  await store.saveNextIndex(ctx, id, shownIndex + 1n);
  const isOfSettings = space in ctx.config.payments.accounts && fingerprint === accountFingerprint(ctx, space);
  // The addresses of an older key cannot be derived any more; no new ones of it are given either.
  if (!isOfSettings) return count;
  const indexes = Array.from({ length: Number(count) }, (_, offset) => nextIndex + BigInt(offset));
  const addresses = indexes.map((index) => ({ index, address: deriveAddress(ctx, space, index) }));
  await store.insertSkipped(ctx, { space, accountId: id, addresses, watchedDays: WATCHED_DAYS });
  return count;
}

/**
 * Notices that the database was restored to an earlier minute. It would give addresses that were already shown to other customers, and
 * then their money. So each address is in a file outside of the database before it is shown (`WITNESS_FILE`); while the database is behind
 * it, there are no new invoices, until `restored` has skipped what was shown.
 */
import { commandLine } from '@cellhop/contract/command-line';
import { AppError } from '@cellhop/contract/errors';
import { existsSync } from 'node:fs';
import type { Ctx } from '../../ctx.ts';
import type { AddressSpace } from '../../payments/currencies.ts';
import * as store from './addresses.store.ts';
import { tellSystemStaff } from '../notifications/system-notices.service.ts';
import { isSandbox } from './chains.ts';
import * as databases from './witness.store.ts';
import { addToWitness, readWitness, type Witness } from './witness-file.ts';

const CHECKED_EVERY_MS = 60_000;
/** Gateways report every minute, and may remember what the machine of the API has lost. */
const GATEWAYS_REPORT_WITHIN_MS = 90_000;
/** When this process has found a file missing at its start. */
const missingSince = new Map<string, number>();

export interface ShownAddress {
  space: AddressSpace;
  fingerprint: string;
  derivationIndex: bigint;
}

const accountOf = ({ space, fingerprint }: Pick<ShownAddress, 'space' | 'fingerprint'>) => `${space} ${fingerprint}`;

/** No real coins are paid to the addresses of the sandbox, and its database may be deleted at any time. */
export const witnessFileOf = (ctx: Ctx): string | undefined => (isSandbox(ctx) ? undefined : ctx.config.witnessFile);

/** Call it before addresses are shown to customers. @throws AppError UNAVAILABLE if they cannot be written to the witness */
export async function witnessShown(ctx: Ctx, addresses: readonly ShownAddress[]): Promise<void> {
  const file = witnessFileOf(ctx);
  if (file === undefined || addresses.length === 0) return;
  const highest = new Map<string, bigint>();
  for (const address of addresses) {
    const account = accountOf(address);
    if (address.derivationIndex > (highest.get(account) ?? -1n)) highest.set(account, address.derivationIndex);
  }
  try {
    const shown = (await readWitness(file))?.shown ?? {};
    const isKnown = [...highest].every(([account, index]) => index <= (shown[account] ?? -1n));
    if (!isKnown) await addToWitness(file, highest);
  } catch (error) {
    ctx.log.error({ err: error }, 'no address is shown, because the witness cannot be written');
    throw new AppError('UNAVAILABLE');
  }
}

export interface SkippedAccount {
  account: store.WalletAccount;
  /** The highest index that was shown; the next one of the database is not higher. */
  shownIndex: bigint;
}

/** @returns the accounts whose next addresses were already shown: of a database that was restored */
export function findSkipped(accounts: readonly store.WalletAccount[], witness: Witness | undefined): SkippedAccount[] {
  return accounts.flatMap((account) => {
    const shownIndex = witness?.shown[accountOf(account)];
    return shownIndex !== undefined && shownIndex >= account.nextIndex ? [{ account, shownIndex }] : [];
  });
}

interface Comparison {
  witness: Witness | undefined;
  accounts: readonly store.WalletAccount[];
  skipped: SkippedAccount[];
}

/** @throws Error with a sentence if the witness is damaged */
async function compare(ctx: Ctx, file: string): Promise<Comparison> {
  // Read before the accounts: an address that is given meanwhile must not look like one of the lost time.
  const witness = await readWitness(file);
  const accounts = await store.listWalletAccounts(ctx);
  return { witness, accounts, skipped: findSkipped(accounts, witness) };
}

/** Whether the file is lost, because a witness was kept before, and a gateway may still say what was in it. */
async function waitsForGateways(ctx: Ctx, file: string): Promise<boolean> {
  const since = missingSince.get(file);
  if (since === undefined || Date.now() - since > GATEWAYS_REPORT_WITHIN_MS) return false;
  return (await databases.readWitnessTime(ctx)) !== undefined;
}

const MOVE_SHOWN_MS = 24 * 3_600_000;

/** For staff: whether the database was restored, and since when it is another one, for a day. A witness that cannot be read stops invoices, too. */
export async function readRestore(ctx: Ctx): Promise<{ isOpen: boolean; movedAt: string | null }> {
  const file = witnessFileOf(ctx);
  if (file === undefined) return { isOpen: false, movedAt: null };
  const found = await compare(ctx, file).catch(() => undefined);
  if (!found) return { isOpen: true, movedAt: null };
  const movedAt = found.witness?.movedAt;
  const isRecent = movedAt !== undefined && Date.now() - Date.parse(movedAt) < MOVE_SHOWN_MS;
  return { isOpen: found.skipped.length > 0, movedAt: isRecent ? movedAt : null };
}

/** Call it in the transaction that takes an index, so that both have the same database. @throws AppError UNAVAILABLE */
export async function requireNotRestored(ctx: Ctx): Promise<void> {
  const file = witnessFileOf(ctx);
  if (file === undefined) return;
  const found = await compare(ctx, file).catch((error: unknown) => {
    ctx.log.error({ err: error }, 'no invoice is created, because the witness cannot be read');
    return undefined;
  });
  if (!found || found.skipped.length > 0 || (await waitsForGateways(ctx, file))) throw new AppError('UNAVAILABLE');
}

async function checkWitness(ctx: Ctx, file: string): Promise<void> {
  const { witness, accounts, skipped } = await compare(ctx, file);
  if (skipped.length > 0) {
    ctx.log.error(
      `The database is older than the addresses that were shown to customers, so it was restored. No invoice is created until you run: ${commandLine('restored')}`,
    );
    await mailRestore(ctx, skipped);
    return;
  }
  if (await waitsForGateways(ctx, file)) {
    ctx.log.warn(
      { file },
      'There was no witness at the start. No invoice is created for 90 s: a gateway may remember it.',
    );
    return;
  }
  if (!witness)
    ctx.log.info({ file }, 'there was no witness yet, so an earlier restore of the database cannot be noticed');
  // A database that does not tell it has a witness of its addresses all the same.
  const database = await databases.readDatabaseState(ctx).catch((error: unknown) => {
    ctx.log.warn({ err: error }, 'the state of the database cannot be read, so only lost addresses show a restore');
    return undefined;
  });
  const move = database && witness?.database && findMove(witness.database, database);
  if (move !== undefined)
    ctx.log.warn(
      `The database is not the one of before: ${move}. After a failover, an upgrade of PostgreSQL or a move that is expected, and nothing is stopped. If it was restored, run: ${commandLine('payments', 'check')}`,
    );
  const shown = new Map(accounts.map((account) => [accountOf(account), account.nextIndex - 1n]));
  await addToWitness(file, shown, {
    ...(database && { database }),
    ...(move !== undefined && { movedAt: new Date().toISOString() }),
  });
  // From now on the file is there.
  missingSince.delete(file);
  await databases.saveWitnessTime(ctx);
}

/** How the database differs from the one that was last seen, by which nothing shown is lost; undefined: it has gone on. */
function findMove(before: databases.DatabaseState, now: databases.DatabaseState): string | undefined {
  if (now.systemId !== before.systemId) return 'another server';
  if (now.timeline !== before.timeline) return 'another history of the same server';
  return toNumber(now.position) < toNumber(before.position) ? 'an earlier position in its history' : undefined;
}

/** Of a `pg_lsn`. */
function toNumber(position: string): bigint {
  const [high, low] = position.split('/').map((part) => BigInt(`0x${part}`));
  return (high! << 32n) + low!;
}

function mailRestore(ctx: Ctx, [first]: SkippedAccount[]): Promise<void> {
  const { account } = first!;
  return tellSystemStaff(ctx, `restore:${accountOf(account)}:${account.nextIndex}`, 'database-restored');
}

/** Compares database and witness, now and every minute. @returns a function that stops it */
export function keepWitness(ctx: Ctx): () => void {
  const file = witnessFileOf(ctx);
  if (file === undefined) {
    if (!isSandbox(ctx)) ctx.log.warn('WITNESS_FILE is not set: a restore of the database would give addresses twice.');
    return () => {};
  }
  if (!existsSync(file)) missingSince.set(file, Date.now());
  const check = () =>
    void checkWitness(ctx, file).catch((error: unknown) =>
      ctx.log.error({ err: error }, 'database and witness could not be compared'),
    );
  check();
  const timer = setInterval(check, CHECKED_EVERY_MS);
  return () => {
    clearInterval(timer);
    missingSince.delete(file);
  };
}

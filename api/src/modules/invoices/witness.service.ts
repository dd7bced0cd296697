/**
 * Notices that the database was restored to an earlier minute. It would give addresses that were already shown to other customers, and
 * then their money. So each address is in a file outside of the database before it is shown (`WITNESS_FILE`); while the database is behind
 * it, there are no new invoices, until `restored` has skipped what was shown.
 */
import { commandLine } from '@cellhop/contract/command-line';
import { AppError } from '@cellhop/contract/errors';
import type { Ctx } from '../../ctx.ts';
import type { AddressSpace } from '../../payments/currencies.ts';
import * as store from './addresses.store.ts';
import { isSandbox } from './chains.ts';
import { addToWitness, readWitness, type Witness } from './witness-file.ts';

const CHECKED_EVERY_MS = 60_000;

export interface ShownAddress {
  space: AddressSpace;
  fingerprint: string;
  derivationIndex: bigint;
}

const accountOf = ({ space, fingerprint }: Pick<ShownAddress, 'space' | 'fingerprint'>) => `${space} ${fingerprint}`;

/** Nobody pays real coins to the addresses of the sandbox, and its database may be deleted at any time. */
const fileOf = (ctx: Ctx) => (isSandbox(ctx) ? undefined : ctx.config.witnessFile);

/** Call it before addresses are shown to customers. @throws AppError UNAVAILABLE if they cannot be written to the witness */
export async function witnessShown(ctx: Ctx, addresses: readonly ShownAddress[]): Promise<void> {
  const file = fileOf(ctx);
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

/** Whether the database is behind the witness. @throws Error with a sentence if the witness is damaged */
export async function isRestored(ctx: Ctx): Promise<boolean> {
  const file = fileOf(ctx);
  if (file === undefined) return false;
  // Read before the accounts: an address that is given meanwhile must not look like one of the lost time.
  const witness = await readWitness(file);
  return findSkipped(await store.listWalletAccounts(ctx), witness).length > 0;
}

/** Call it in the transaction that takes an index, so that both have the same database. @throws AppError UNAVAILABLE */
export async function requireNotRestored(ctx: Ctx): Promise<void> {
  const isBehind = await isRestored(ctx).catch((error: unknown) => {
    ctx.log.error({ err: error }, 'no invoice is created, because the witness cannot be read');
    return true;
  });
  if (isBehind) throw new AppError('UNAVAILABLE');
}

async function checkWitness(ctx: Ctx, file: string): Promise<void> {
  const witness = await readWitness(file);
  const accounts = await store.listWalletAccounts(ctx);
  if (findSkipped(accounts, witness).length > 0) {
    ctx.log.error(
      `The database is older than the addresses that were shown to customers, so it was restored. No invoice is created until you run: ${commandLine('restored')}`,
    );
    return;
  }
  if (!witness)
    ctx.log.info({ file }, 'there was no witness yet, so an earlier restore of the database cannot be noticed');
  await addToWitness(file, new Map(accounts.map((account) => [accountOf(account), account.nextIndex - 1n])));
}

/** Compares database and witness, now and every minute. @returns a function that stops it */
export function keepWitness(ctx: Ctx): () => void {
  const file = fileOf(ctx);
  if (file === undefined) {
    if (!isSandbox(ctx)) ctx.log.warn('WITNESS_FILE is not set: a restore of the database would give addresses twice.');
    return () => {};
  }
  const check = () =>
    void checkWitness(ctx, file).catch((error: unknown) =>
      ctx.log.error({ err: error }, 'database and witness could not be compared'),
    );
  check();
  const timer = setInterval(check, CHECKED_EVERY_MS);
  return () => clearInterval(timer);
}

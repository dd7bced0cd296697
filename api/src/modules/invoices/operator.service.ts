/** The commands of the operator: check keys and nodes, resume payments and chains. */
import { commandLine } from '@cellhop/contract/command-line';
import type { Currency } from '@cellhop/contract/invoices.values';
import type { Ctx } from '../../ctx.ts';
import { ChainUnavailable, type SourceFinding } from '../../payments/chains/watcher.ts';
import { addressSpaces, type AddressSpace, chains, currencyRules, type Chain } from '../../payments/currencies.ts';
import type { HoldingsFile } from '../../payments/holdings-file.ts';
import { deriveAddress } from '../../payments/derive/addresses.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { countSources, isSandbox, watcherFor } from './chains.ts';
import * as states from './chain-states.store.ts';
import { acceptDifferences, compareFromStart } from './comparison.service.ts';
import { resume } from './deposit-changes.store.ts';
import { describeHoldings, listHoldings, type HoldingAddress } from './holdings.service.ts';

const FIRST_INDEXES = [0n, 1n, 2n];
const CHECK_LIMIT_MS = 60_000;

export interface AccountCheck {
  space: AddressSpace;
  fingerprint: string;
  /** The operator compares these with the wallet. */
  addresses: readonly string[];
}

/** The first addresses of each account in the settings. */
export function checkAccounts({ config }: Ctx): AccountCheck[] {
  return [...new Set(Object.values(addressSpaces))].flatMap((space) => {
    const account = config.payments.accounts[space];
    if (!account) return [];
    const addresses = FIRST_INDEXES.map((index) => deriveAddress(space, account, index));
    return [{ space, fingerprint: account.fingerprint, addresses }];
  });
}

export interface ChainCheck {
  chain: Chain;
  findings: readonly SourceFinding[];
  /** How many sources are configured. */
  sourceCount: number;
}

/** Asks each source of each chain for everything that will be needed, without storing anything. */
export function checkSources(ctx: Ctx): Promise<ChainCheck[]> {
  const watched = chains.flatMap((chain) => {
    const watcher = watcherFor(ctx, chain);
    return watcher ? [{ chain, watcher }] : [];
  });
  return Promise.all(
    watched.map(async ({ chain, watcher }) => ({
      chain,
      findings: await watcher.check(AbortSignal.timeout(CHECK_LIMIT_MS)),
      sourceCount: countSources(ctx, chain),
    })),
  );
}

/** The addresses that hold most of a currency. @returns undefined if it is not set up @throws ChainUnavailable */
export async function findHoldings(ctx: Ctx, currency: Currency, limit: number): Promise<HoldingAddress[] | undefined> {
  const watcher = watcherFor(ctx, currencyRules[currency].chain);
  return watcher && listHoldings(ctx, currency, watcher, limit);
}

/** The list from which the offline program signs sweeps. @returns undefined if the chain is not set up @throws ChainUnavailable */
export async function makeHoldingsFile(ctx: Ctx, chain: Chain, limit: number): Promise<HoldingsFile | undefined> {
  const watcher = watcherFor(ctx, chain);
  return watcher && describeHoldings(ctx, chain, watcher, limit);
}

/**
 * The daily comparison, now: what is swept before one is explained by the list of sweeps alone.
 * @returns sentences for the operator
 * @throws Error with one if not all addresses could be compared
 */
export async function compareBeforeSweep(ctx: Ctx, chain: Chain): Promise<string[]> {
  const watcher = watcherFor(ctx, chain);
  if (!watcher || isSandbox(ctx)) return [];
  try {
    return await compareFromStart(ctx, chain, watcher);
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    const reason = `Not all addresses could be compared with their deposits: ${error.message}`;
    const without = commandLine('payments', 'holdings', chain);
    throw new Error(
      `${reason}. Once that is over, run this again; ${without} prints the list without a comparison, but a missed payment that is swept then is never seen.`,
      { cause: error },
    );
  }
}

/**
 * Lets a suspended deposit be credited. Stablecoins without their peg need a rate, which staff choose on the screen of invoices.
 * @returns false if it is not suspended
 */
export function resumeDeposit(ctx: Ctx, id: string): Promise<boolean> {
  return ctx.tx(async (ctx) => {
    if (!(await resume(ctx, id))) return false;
    await record(ctx, { action: 'DEPOSIT_RELEASED', requester: undefined, details: { deposit: id } });
    return true;
  });
}

/**
 * Ends the pause of a chain after a reorganisation.
 * @returns false if it is not paused
 * @throws Error with a sentence for the operator
 */
export function resumeChain(ctx: Ctx, chain: Chain): Promise<boolean> {
  return ctx.tx(async (ctx) => {
    const { pauseReason, unavailableReason } = await states.readState(ctx, chain);
    if (unavailableReason === 'DEEP_REORGANISATION')
      throw new Error(
        `All blocks that ${chain} was read to have left the chain. First name a block before that: ${commandLine('payments', 'rescan', chain, '<block>')}`,
      );
    if (!(await states.resume(ctx, chain))) return false;
    await record(ctx, { action: 'CHAIN_RESUMED', requester: undefined, details: { chain, pause: pauseReason } });
    return true;
  });
}

/**
 * Ends a difference of the comparison: the operator knows where the money came from, such as the gas of a sweep.
 * @returns false if nothing at the address is unexplained
 */
export function explainDifference(ctx: Ctx, chain: Chain, address: string): Promise<boolean> {
  return ctx.tx(async (ctx) => {
    if (!(await acceptDifferences(ctx, chain, address))) return false;
    await record(ctx, { action: 'DIFFERENCE_EXPLAINED', requester: undefined, details: { chain, address } });
    return true;
  });
}

/** The commands of the operator: check keys and nodes, release deposits, resume chains. */
import type { Currency } from '@cellhop/contract/invoices.values';
import type { Ctx } from '../../ctx.ts';
import { addressSpaces, type AddressSpace, chains, currencyRules, type Chain } from '../../payments/currencies.ts';
import { deriveAddress } from '../../payments/derive/addresses.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { watcherFor } from './chains.ts';
import * as states from './chain-states.store.ts';
import { acceptDifferences } from './comparison.service.ts';
import { release } from './held-deposits.store.ts';
import { listHoldings, type HoldingAddress } from './holdings.service.ts';

const FIRST_INDEXES = [0n, 1n, 2n];
const NODE_LIMIT_MS = 30_000;

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

export interface NodeCheck {
  chain: Chain;
  /** The newest block; undefined if the nodes cannot be used. */
  head: { height: number; time: Date } | undefined;
  problem: string | undefined;
}

/** Asks the nodes of each chain, without storing anything. */
export function checkNodes(ctx: Ctx): Promise<NodeCheck[]> {
  const watched = chains.flatMap((chain) => {
    const watcher = watcherFor(ctx, chain);
    return watcher ? [{ chain, watcher }] : [];
  });
  return Promise.all(
    watched.map(async ({ chain, watcher }): Promise<NodeCheck> => {
      try {
        const { head } = await watcher.poll(null, new Set(), AbortSignal.timeout(NODE_LIMIT_MS));
        return { chain, head, problem: undefined };
      } catch (error) {
        return { chain, head: undefined, problem: error instanceof Error ? error.message : String(error) };
      }
    }),
  );
}

/** The addresses that hold most of a currency. @returns undefined if it is not set up @throws ChainUnavailable */
export async function findHoldings(ctx: Ctx, currency: Currency, limit: number): Promise<HoldingAddress[] | undefined> {
  const watcher = watcherFor(ctx, currencyRules[currency].chain);
  return watcher && listHoldings(ctx, currency, watcher, limit);
}

/**
 * Lets a deposit be credited that is on hold. Stablecoins without their peg need a rate, which staff choose on the screen of invoices.
 * @returns false if it is not on hold
 */
export function releaseDeposit(ctx: Ctx, id: string): Promise<boolean> {
  return ctx.tx(async (ctx) => {
    if (!(await release(ctx, id))) return false;
    await record(ctx, { action: 'DEPOSIT_RELEASED', requester: undefined, details: { deposit: id } });
    return true;
  });
}

/** Ends the pause of a chain after a reorganisation. @returns false if it is not paused */
export function resumeChain(ctx: Ctx, chain: Chain): Promise<boolean> {
  return ctx.tx(async (ctx) => {
    const { pauseReason } = await states.readState(ctx, chain);
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

/** Whether new invoices may use a chain. Deposits to older ones are watched in any case. */
import type { Currency } from '@cellhop/contract/invoices.values';
import type { Ctx } from '../../ctx.ts';
import { currencyRules, type Chain } from '../../payments/currencies.ts';
import { isConfigured, isSandbox, watcherFor } from './chains.ts';
import * as store from './chain-states.store.ts';

const MINUTE_MS = 60_000;
/** A short failure of a node does not make the chain unavailable. */
const UNAVAILABLE_FOR_MS = 2 * MINUTE_MS;
const POLLED_WITHIN_MS = 5 * MINUTE_MS;
/** An older newest block means that the chain or the node does not work, except very rarely. */
const headAgeLimitsMs: Record<Chain, number> = {
  bitcoin: 180 * MINUTE_MS,
  litecoin: 60 * MINUTE_MS,
  ethereum: 10 * MINUTE_MS,
  bsc: 5 * MINUTE_MS,
  tron: 5 * MINUTE_MS,
  ton: 5 * MINUTE_MS,
};
/** Blocks that a watcher may be behind. */
const LAG_MAX = 100;

export type ChainProblem = 'PAUSED' | 'NEVER_POLLED' | 'UNAVAILABLE' | 'NOT_POLLED' | 'OLD_HEAD' | 'BEHIND';

/** @returns undefined if the chain is healthy */
export function findProblem(state: store.ChainState, now: Date): ChainProblem | undefined {
  const { pausedAt, polledAt, unavailableSince, headAt, headHeight, scannedHeight, chain } = state;
  const age = (date: Date | null) => now.getTime() - (date?.getTime() ?? 0);
  if (pausedAt) return 'PAUSED';
  if (!polledAt) return 'NEVER_POLLED';
  if (unavailableSince && age(unavailableSince) > UNAVAILABLE_FOR_MS) return 'UNAVAILABLE';
  if (age(polledAt) > POLLED_WITHIN_MS) return 'NOT_POLLED';
  if (age(headAt) > headAgeLimitsMs[chain]) return 'OLD_HEAD';
  return (headHeight ?? 0n) - (scannedHeight ?? 0n) > BigInt(LAG_MAX) ? 'BEHIND' : undefined;
}

/** Whether new invoices in the currency can be created, apart from its rate. */
export async function isAvailable(ctx: Ctx, currency: Currency): Promise<boolean> {
  const { chain } = currencyRules[currency];
  return isEnabled(ctx, currency) && isHealthy(ctx, await store.readState(ctx, chain));
}

/** Whether the currency is set up, whatever the state of its chain. */
export function isEnabled(ctx: Ctx, currency: Currency): boolean {
  const { chain, addressSpace } = currencyRules[currency];
  return isConfigured(ctx, chain, addressSpace) && watcherFor(ctx, chain) !== undefined;
}

/** The sandbox is always healthy: tests have no worker, and no money is at risk. */
export function isHealthy(ctx: Ctx, state: store.ChainState): boolean {
  const problem = findProblem(state, new Date());
  return problem === undefined || (isSandbox(ctx) && problem !== 'PAUSED' && problem !== 'UNAVAILABLE');
}

/** The state of the chains, their addresses and the exchange rates, for staff and the metrics. */
import type { SystemState } from '@cellhop/contract/staff/system';
import type { Ctx } from '../../ctx.ts';
import { formatRate } from '../../payments/amounts.ts';
import { CONTRADICTION } from '../../payments/chains/sources.ts';
import { addressSpaces, chains, type Chain } from '../../payments/currencies.ts';
import { nameOtherToken } from '../../payments/settings.ts';
import * as addresses from './addresses.store.ts';
import { countSources, findProblem, isHealthy, isSandbox, rateSource, WATCHED_MAX, watcherFor } from './chains.ts';
import * as states from './chain-states.store.ts';
import { countOpen } from './deposit-lists.store.ts';
import * as rates from './rates.store.ts';

export async function showChains(ctx: Ctx): Promise<SystemState['chains']> {
  const [open, all, inWindow] = await readAll(ctx);
  return chains.map((chain) => {
    const counts = open.find((each) => each.chain === chain);
    return {
      chain,
      isWatched: watcherFor(ctx, chain) !== undefined,
      ...presentHealth(
        ctx,
        all.find((each) => each.chain === chain)!,
      ),
      sources: countSources(ctx, chain),
      ...presentWatched(inWindow.get(addressSpaces[chain]) ?? 0),
      openDeposits: counts?.count ?? 0,
      heldDeposits: counts?.suspendedCount ?? 0,
    };
  });
}

/** More are not counted: what matters is that there are too many. */
const COUNTED_MAX = 10 * WATCHED_MAX;

function readAll(ctx: Ctx) {
  return Promise.all([countOpen(ctx), states.listStates(ctx), addresses.countInWindow(ctx, COUNTED_MAX)]);
}

function presentWatched(inWindow: number) {
  const watchedAddresses = Math.min(inWindow, WATCHED_MAX);
  return { watchedAddresses, unwatchedAddresses: inWindow - watchedAddresses };
}

/** Accounts that addresses were derived from, the current ones and older ones. */
export function showAccounts(ctx: Ctx): Promise<SystemState['accounts']> {
  return addresses.listAccounts(ctx);
}

export async function showRateSources(ctx: Ctx): Promise<SystemState['rateSources']> {
  if (isSandbox(ctx)) return [];
  return (await rates.listSources(ctx)).map(({ source, succeededAt, failingSince, failure }) => ({
    source,
    succeededAt: succeededAt?.toISOString() ?? null,
    failingSince: failingSince?.toISOString() ?? null,
    failure,
  }));
}

export async function showPeg(ctx: Ctx): Promise<SystemState['peg']> {
  const peg = await rateSource(ctx).peg();
  return { isKept: peg.isKept, rate: peg.isKept || peg.marketE12 === undefined ? null : formatRate(peg.marketE12) };
}

/** The watched chains on which no invoices are created, or which one of their sources contradicts. */
export async function listTroubled(ctx: Ctx): Promise<Chain[]> {
  const all = await states.listStates(ctx);
  return all
    .filter((state) => watcherFor(ctx, state.chain) !== undefined && (!isHealthy(ctx, state) || isContradicted(state)))
    .map(({ chain }) => chain);
}

const isContradicted = ({ warnings }: states.ChainState) => warnings.some((text) => text.startsWith(CONTRADICTION));

/** For the metrics. */
export async function isPegKept(ctx: Ctx): Promise<boolean> {
  return (await rateSource(ctx).peg()).isKept;
}

export interface ChainFigures {
  chain: Chain;
  isHealthy: boolean;
  lagBlocks: number;
  watchedAddresses: number;
  /** Beyond the limit of watched addresses: their payments are found a day later. */
  unwatchedAddresses: number;
  openDeposits: number;
  heldDeposits: number;
  /** The differences between addresses and their deposits at the last comparison. */
  differences: number;
}

/** The metrics of the watched chains. */
export async function readChainFigures(ctx: Ctx): Promise<ChainFigures[]> {
  const [open, all, inWindow] = await readAll(ctx);
  return all
    .filter(({ chain }) => watcherFor(ctx, chain) !== undefined)
    .map((state) => ({
      chain: state.chain,
      isHealthy: isHealthy(ctx, state),
      lagBlocks: blocksBehind(state),
      ...presentWatched(inWindow.get(addressSpaces[state.chain]) ?? 0),
      openDeposits: open.find(({ chain }) => chain === state.chain)?.count ?? 0,
      heldDeposits: open.find(({ chain }) => chain === state.chain)?.suspendedCount ?? 0,
      differences: state.differences.length,
    }));
}

function presentHealth(ctx: Ctx, state: states.ChainState) {
  return {
    problem: isHealthy(ctx, state) ? null : (findProblem(state, new Date()) ?? null),
    detail: state.pauseReason ?? state.unavailableMessage,
    since: (state.pausedAt ?? state.unavailableSince)?.toISOString() ?? null,
    headHeight: state.headHeight === null ? null : Number(state.headHeight),
    headAt: state.headAt?.toISOString() ?? null,
    lagBlocks: blocksBehind(state),
    comparedAt: state.comparedAt?.toISOString() ?? null,
    differences: state.differences,
    warnings: [...nameOtherToken(ctx.config.payments, state.chain), ...state.warnings],
  };
}

function blocksBehind({ headHeight, scannedHeight }: states.ChainState): number {
  return Math.max(0, Number((headHeight ?? 0n) - (scannedHeight ?? headHeight ?? 0n)));
}

/** Periodic tasks for invoices: reads the chains, credits final deposits, expires unpaid invoices. */
import type { Ctx } from '../../ctx.ts';
import { ChainUnavailable, type ChainWatcher, type Poll } from '../../payments/chains/watcher.ts';
import { addressSpaces, type Chain } from '../../payments/currencies.ts';
import { listWatchedAddresses } from './addresses.store.ts';
import { isSandbox, pollEveryMs, WATCHED_MAX, watcherFor } from './chains.ts';
import * as states from './chain-states.store.ts';
import { creditFinalDeposits } from './decide.ts';
import * as store from './invoices.store.ts';
import { hasInMotion } from './deposits.store.ts';
import { recordPoll } from './record-poll.ts';
import { reverseGoneDeposits } from './reversal.ts';
import { requireToken } from './token-check.ts';
import { updateStatuses } from './invoice-status.ts';

const EXPIRIES_PER_RUN = 500;
/** Limits the polls of one run while the chain catches up, so that other tasks can run. */
const POLLS_PER_RUN = 100;
const POLL_LIMIT_MS = 45_000;
/** Longer than a poll, so that two workers do not poll at once. A worker that was killed is replaced after this time. */
const LEASE_MS = 60_000;
const FAILURE_PAUSE_MAX_MS = 5 * 60_000;
/** Nodes that throttle suspend clients that retry too early. */
const THROTTLED_PAUSE_MS = 30_000;
/** How often a poll without payments is stored, for the age of the head. */
const QUIET_SAVE_MS = 5000;

/** Polls one chain, if it is due, and credits what has become final. Several workers may run it at once. */
export async function watchChain(
  ctx: Ctx,
  chain: Chain,
  watcher: ChainWatcher | undefined = watcherFor(ctx, chain),
  stopping?: AbortSignal,
): Promise<void> {
  if (!watcher) return;
  await pollUpToHead(ctx, chain, watcher, stopping);
  if (stopping?.aborted) return;
  await reverseGoneDeposits(ctx, chain);
  await creditFinalDeposits(ctx, chain, watcher);
}

export function expireInvoices(ctx: Ctx): Promise<unknown> {
  return ctx.tx(async (ctx) => updateStatuses(ctx, await store.lockExpired(ctx, EXPIRIES_PER_RUN)));
}

async function pollUpToHead(
  ctx: Ctx,
  chain: Chain,
  watcher: ChainWatcher,
  stopping: AbortSignal | undefined,
): Promise<void> {
  for (let polls = 0; polls < POLLS_PER_RUN; polls++) {
    if (stopping?.aborted) return;
    const state = await claimPoll(ctx, chain);
    if (!state) return;
    const poll = await tryToPoll(ctx, chain, watcher, state.cursor, stopping);
    if (!poll) return;
    const { unprovenBlocks } = poll;
    if (unprovenBlocks !== undefined) ctx.log.info({ chain, unprovenBlocks }, 'nobody can prove some blocks');
    for (const detail of poll.warnings ?? []) ctx.log.warn({ chain, detail }, 'a block of the chain is strange');
    // Without progress, another poll at once would not help.
    const isBehind = poll.scannedHeight < poll.head.height && poll.cursor !== state.cursor;
    if (isSandbox(ctx) && isQuiet(state, poll) && !(await hasInMotion(ctx, chain))) return;
    await recordPoll(ctx, chain, state, poll, isBehind ? 0 : pollEveryMs(ctx, chain));
    if (!isBehind) return;
  }
}

/** The sandbox is in this database: reading it costs less than claiming the poll. */
async function claimPoll(ctx: Ctx, chain: Chain): Promise<states.ChainState | undefined> {
  return isSandbox(ctx) ? states.readState(ctx, chain) : states.claimPoll(ctx, chain, LEASE_MS);
}

/** Outside a transaction, so that no lock is held during a network call. */
async function tryToPoll(
  ctx: Ctx,
  chain: Chain,
  watcher: ChainWatcher,
  cursor: string | null,
  stopping: AbortSignal | undefined,
): Promise<Poll | undefined> {
  const limit = AbortSignal.timeout(POLL_LIMIT_MS);
  const signal = stopping ? AbortSignal.any([limit, stopping]) : limit;
  try {
    await requireToken(ctx, chain, watcher, signal);
    const { all, open } = await listWatchedAddresses(ctx, addressSpaces[chain], WATCHED_MAX);
    return await watcher.poll(cursor, all, signal, open);
  } catch (error) {
    // Another worker can claim the poll without waiting for the lease.
    if (stopping?.aborted) await states.releaseClaim(ctx, chain);
    else await recordFailure(ctx, chain, error);
    return undefined;
  }
}

async function recordFailure(ctx: Ctx, chain: Chain, error: unknown): Promise<void> {
  const isExpected = error instanceof ChainUnavailable;
  if (isExpected) ctx.log.warn({ chain, reason: error.reason, detail: error.message }, 'chain unavailable');
  else ctx.log.error({ err: error, chain }, 'chain could not be polled');
  const reason = isExpected ? error.reason : 'INTERNAL';
  await states.saveFailure(ctx, chain, {
    reason,
    message: isExpected ? error.message : 'see the log of the worker',
    pauseMs: Math.max(pollEveryMs(ctx, chain), reason === 'THROTTLED' ? THROTTLED_PAUSE_MS : 0),
    pauseMaxMs: FAILURE_PAUSE_MAX_MS,
  });
  if (reason === 'DEEP_REORGANISATION')
    await states.pause(ctx, chain, 'more blocks have left the chain than are remembered');
}

function isQuiet({ cursor, polledAt, unavailableSince }: states.ChainState, poll: Poll): boolean {
  const isRecent = polledAt !== null && Date.now() - polledAt.getTime() < QUIET_SAVE_MS;
  return poll.payments.length === 0 && poll.cursor === cursor && isRecent && unavailableSince === null;
}

import type { Ctx } from '../../ctx.ts';
import type { ChainUnavailable, Poll } from '../../payments/chains/watcher.ts';
import type { Chain } from '../../payments/currencies.ts';

export interface ChainState {
  chain: Chain;
  cursor: string | null;
  /** The time of the last successful poll; null before the first. */
  polledAt: Date | null;
  headHeight: bigint | null;
  headAt: Date | null;
  safeHeight: bigint | null;
  finalizedHeight: bigint | null;
  scannedHeight: bigint | null;
  unavailableSince: Date | null;
  unavailableReason: ChainUnavailable['reason'] | 'INTERNAL' | null;
  unavailableMessage: string | null;
  pausedAt: Date | null;
  pauseReason: string | null;
  comparedAt: Date | null;
  differences: string[];
  /** Of the last poll, as sentences. */
  warnings: string[];
  /** Null before the first poll of a release that knows it. */
  refusedAssets: string[] | null;
}

const COLUMNS = `
  chain, cursor, polled_at as "polledAt", head_height as "headHeight", head_at as "headAt", safe_height as "safeHeight",
  finalized_height as "finalizedHeight", scanned_height as "scannedHeight", unavailable_since as "unavailableSince",
  unavailable_reason as "unavailableReason", unavailable_message as "unavailableMessage", paused_at as "pausedAt",
  pause_reason as "pauseReason", compared_at as "comparedAt", differences, coalesce(warnings, '{}') as warnings,
  refused_assets as "refusedAssets"`;

export async function readState(ctx: Ctx, chain: Chain): Promise<ChainState> {
  const [row] = await ctx.db.query<ChainState>(`select ${COLUMNS} from chain_cursors where chain = $1`, [chain]);
  return row!;
}

export function listStates(ctx: Ctx): Promise<ChainState[]> {
  return ctx.db.query<ChainState>(`select ${COLUMNS} from chain_cursors`);
}

/**
 * Claims the next poll, if it is due and no other worker has claimed it.
 * @param leaseMs after this time another worker may claim it
 */
export async function claimPoll(ctx: Ctx, chain: Chain, leaseMs: number): Promise<ChainState | undefined> {
  const [row] = await ctx.db.query<ChainState>(
    `update chain_cursors set next_poll_at = now() + $2 * interval '1 millisecond'
      where chain = $1 and next_poll_at <= now() returning ${COLUMNS}`,
    [chain, leaseMs],
  );
  return row;
}

/** Lets another worker poll at once. */
export async function releaseClaim(ctx: Ctx, chain: Chain): Promise<void> {
  await ctx.db.query('update chain_cursors set next_poll_at = now() where chain = $1', [chain]);
}

/** The lock serializes all writes of deposits of this chain by polls. */
export async function lockCursor(ctx: Ctx, chain: Chain): Promise<string | null> {
  const [row] = await ctx.db.query<{ cursor: string | null }>(
    'select cursor from chain_cursors where chain = $1 for update',
    [chain],
  );
  return row!.cursor;
}

/** Bounds what sources can make a poll say. */
const WARNINGS_MAX = 10;
const WARNING_LENGTH_MAX = 500;

/** @param pauseMs until the next poll */
export async function savePoll(ctx: Ctx, chain: Chain, poll: Poll, pauseMs: number): Promise<void> {
  const { cursor, head, scannedHeight } = poll;
  await ctx.db.query(
    `update chain_cursors
        set cursor = $2, head_height = $3, head_at = $4, safe_height = $5, finalized_height = $6, scanned_height = $7,
            polled_at = now(), next_poll_at = now() + $8 * interval '1 millisecond', failure_count = 0,
            unavailable_since = null, unavailable_reason = null, unavailable_message = null, warnings = $9,
            refused_assets = $10
      where chain = $1`,
    [
      chain,
      cursor,
      head.height,
      head.time,
      head.safeHeight ?? null,
      head.finalizedHeight ?? null,
      scannedHeight,
      pauseMs,
      (poll.warnings ?? []).slice(0, WARNINGS_MAX).map((warning) => warning.slice(0, WARNING_LENGTH_MAX)),
      poll.refusedAssets ?? [],
    ],
  );
}

/** For a rescan. The next poll is due at once; a poll that is under way with the old cursor is not recorded. */
export async function replaceCursor(ctx: Ctx, chain: Chain, cursor: string, scannedHeight: number): Promise<void> {
  await ctx.db.query(
    `update chain_cursors
        set cursor = $2, scanned_height = $3, next_poll_at = now(), failure_count = 0,
            unavailable_since = null, unavailable_reason = null, unavailable_message = null
      where chain = $1`,
    [chain, cursor, scannedHeight],
  );
}

export interface PollFailure {
  reason: NonNullable<ChainState['unavailableReason']>;
  message: string;
  /** Doubled with each further failure, up to the maximum. */
  pauseMs: number;
  pauseMaxMs: number;
}

export async function saveFailure(ctx: Ctx, chain: Chain, failure: PollFailure): Promise<void> {
  await ctx.db.query(
    `update chain_cursors
        set unavailable_since = coalesce(unavailable_since, now()), unavailable_reason = $2, unavailable_message = $3,
            failure_count = least(failure_count + 1, 30),
            next_poll_at = now() + least($5, $4 * 2 ^ least(failure_count, 20)) * interval '1 millisecond'
      where chain = $1`,
    [chain, failure.reason, failure.message, failure.pauseMs, failure.pauseMaxMs],
  );
}

/** The first reason stays. */
export async function pause(ctx: Ctx, chain: Chain, reason: string): Promise<void> {
  await ctx.db.query(
    'update chain_cursors set paused_at = now(), pause_reason = $2 where chain = $1 and paused_at is null',
    [chain, reason],
  );
}

/** @returns false if it was not paused */
export async function resume(ctx: Ctx, chain: Chain): Promise<boolean> {
  const rows = await ctx.db.query(
    `update chain_cursors set paused_at = null, pause_reason = null where chain = $1 and paused_at is not null returning chain`,
    [chain],
  );
  return rows.length > 0;
}

export async function saveComparison(ctx: Ctx, chain: Chain, differences: readonly string[]): Promise<void> {
  await ctx.db.query('update chain_cursors set compared_at = now(), differences = $2 where chain = $1', [
    chain,
    differences,
  ]);
}

/** Without a new comparison. */
export async function replaceDifferences(ctx: Ctx, chain: Chain, differences: readonly string[]): Promise<void> {
  await ctx.db.query('update chain_cursors set differences = $2 where chain = $1', [chain, differences]);
}

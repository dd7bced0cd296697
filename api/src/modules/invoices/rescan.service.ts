/** Reads blocks again, for the operator: because a payment in them was missed, or because the blocks of the cursor have left the chain. */
import { commandLine } from '@cellhop/contract/command-line';
import type { Ctx } from '../../ctx.ts';
import { ChainUnavailable, type ChainWatcher } from '../../payments/chains/watcher.ts';
import { addressSpaces, type Chain } from '../../payments/currencies.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { watcherFor, WATCHED_MAX } from './chains.ts';
import * as states from './chain-states.store.ts';
import { listAllAddresses } from './addresses.store.ts';
import { recordMissed, rewind } from './record-poll.ts';

const POLL_LIMIT_MS = 60_000;
/** On chains that count confirmations: later blocks are left to the watcher, which knows when they leave the chain. */
const CONFIRMATIONS = 24;

export interface Rescan {
  /** The last block that was read; undefined if the watcher reads the blocks itself, from the first one on. */
  toHeight: number | undefined;
  /** Payments that were not known. They are credited by the worker. */
  found: number;
}

/**
 * May be repeated: what is known is not recorded again. The watcher goes on meanwhile.
 * @throws Error with a sentence for the operator
 */
export async function rescanChain(
  ctx: Ctx,
  chain: Chain,
  fromHeight: number,
  watcher: ChainWatcher | undefined = watcherFor(ctx, chain),
): Promise<Rescan> {
  if (!watcher) throw new Error(`${chain} is not set up.`);
  const state = await states.readState(ctx, chain);
  const cursor = await watcher.cursorAt(fromHeight - 1, AbortSignal.timeout(POLL_LIMIT_MS));
  const hasLeft = state.unavailableReason === 'DEEP_REORGANISATION';
  if (hasLeft) await rewind(ctx, chain, fromHeight, cursor);
  const rescan = hasLeft
    ? { toHeight: undefined, found: 0 }
    : await readAgain(ctx, chain, watcher, { cursor, fromHeight, toHeight: lastHeight(state, fromHeight) });
  const details = { chain, from: fromHeight, to: rescan.toHeight ?? null, found: rescan.found };
  await record(ctx, { action: 'CHAIN_RESCANNED', requester: undefined, details });
  return rescan;
}

/** Blocks after this one are read by the watcher itself. */
function lastHeight({ scannedHeight, finalizedHeight }: states.ChainState, fromHeight: number): number {
  if (scannedHeight === null) throw new Error('This chain was never read: start the worker first.');
  const final = finalizedHeight ?? scannedHeight - BigInt(CONFIRMATIONS);
  const height = Number(final < scannedHeight ? final : scannedHeight);
  if (fromHeight > height) throw new Error(`The watcher still reads blocks after ${height} itself.`);
  return height;
}

async function readAgain(
  ctx: Ctx,
  chain: Chain,
  watcher: ChainWatcher,
  range: { cursor: string; fromHeight: number; toHeight: number },
): Promise<Rescan> {
  const { fromHeight, toHeight } = range;
  const all = [...(await listAllAddresses(ctx, addressSpaces[chain], WATCHED_MAX))];
  const size = watcher.readTogetherMax ?? WATCHED_MAX;
  const parts = Array.from({ length: Math.max(1, Math.ceil(all.length / size)) }, (_, index) => ({
    addresses: new Set(all.slice(index * size, (index + 1) * size)),
    cursor: range.cursor,
    nextHeight: fromHeight,
  }));
  /** The one that is behind the others, so that all of them are read up to its height. */
  const last = () => parts.reduce((one, other) => (other.nextHeight < one.nextHeight ? other : one));
  let found = 0;
  try {
    for (let part = last(); part.nextHeight <= toHeight; part = last()) {
      const poll = await watcher.poll(part.cursor, part.addresses, AbortSignal.timeout(POLL_LIMIT_MS));
      const payments = poll.payments.filter(({ block }) => block !== undefined && block.height <= toHeight);
      found += await recordMissed(ctx, chain, { ...poll, payments });
      part.cursor = poll.cursor;
      part.nextHeight = poll.scannedHeight + 1;
    }
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    const command = commandLine('payments', 'rescan', chain, String(last().nextHeight));
    throw new Error(`${error.message}. To go on: ${command}`, { cause: error });
  }
  return { toHeight, found };
}

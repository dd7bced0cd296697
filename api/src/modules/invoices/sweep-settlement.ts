/** Finds the final block of each sweep that was sent. */
import type { Ctx } from '../../ctx.ts';
import { has } from '../../payments/chains/descriptors.ts';
import { SourceRefusal } from '../../payments/chains/refusals.ts';
import { ChainUnavailable } from '../../payments/chains/watcher.ts';
import { type Chain } from '../../payments/currencies.ts';
import { readSigned } from '../../payments/sweep/read-signed.ts';
import type { SweepChain } from '../../payments/sweep/sweep.ts';
import {
  createSweepSource,
  type FindResult,
  type SentSweep,
  type SweepSource,
} from '../../payments/sweep/sweep-source.ts';
import * as store from './sweeps.store.ts';

/** All requests about one sweep to one source. */
const REQUEST_LIMIT_MS = 30_000;
/** What is in no block by then is no longer looked for, unless it is sent again. */
const LOOKED_FOR_MS = 30 * 86_400_000;
/** Of the sources, as everywhere. */
const AGREEING = 2;

interface Included {
  height: number;
  isSuccessful: boolean;
}

/**
 * @param height of the balances that are compared: a sweep in a later block is left to the next comparison
 * @throws ChainUnavailable
 */
export async function settleSweeps(
  ctx: Ctx,
  chain: Chain,
  addressIds: readonly bigint[],
  height: number,
): Promise<void> {
  if (!isSwept(chain)) return;
  const unsettled = await store.listUnsettled(ctx, chain, addressIds, LOOKED_FOR_MS);
  if (unsettled.length === 0) return;
  const sources = (ctx.config.payments.urls[chain] ?? []).map((url) => createSweepSource(chain, url));
  for (const { transactionId, raw } of unsettled) {
    const found = await findAgreed(sources, { ...readSigned[chain](raw), raw }, height);
    if (found) await store.settleSweep(ctx, chain, transactionId, found);
  }
}

const isSwept = (chain: Chain): chain is SweepChain => has(chain, 'sweep');

/** @returns undefined if it is in no block up to this height @throws ChainUnavailable */
async function findAgreed(
  sources: readonly SweepSource[],
  sweep: SentSweep,
  heightMax: number,
): Promise<Included | undefined> {
  const results = await Promise.allSettled(sources.map((source) => findOf(source, sweep)));
  const answers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const needed = Math.min(AGREEING, sources.length);
  const failure = results.find((result) => result.status === 'rejected');
  if (failure && answers.length < needed) throw failure.reason;
  const included = answers.filter((answer) => typeof answer === 'object' && 'isSuccessful' in answer);
  for (const { height, isSuccessful } of included) {
    if (height === undefined || height > heightMax) continue;
    // A source of version 2 of TON does not say in which block.
    const agreeing = included.filter(
      (other) => other.isSuccessful === isSuccessful && (other.height === undefined || other.height === height),
    );
    if (agreeing.length >= needed) return { height, isSuccessful };
  }
  const others = answers.filter(
    (answer) => typeof answer !== 'object' || !('isSuccessful' in answer) || !(answer.height! <= heightMax),
  );
  if (others.length >= needed) return undefined;
  throw new ChainUnavailable('DISAGREEING', `the sources differ about the sweep ${sweep.transactionId}`);
}

/** @throws ChainUnavailable */
async function findOf(source: SweepSource, sweep: SentSweep): Promise<FindResult | undefined> {
  const signal = AbortSignal.timeout(REQUEST_LIMIT_MS);
  try {
    return await source.find(sweep, signal);
  } catch (error) {
    if (error instanceof ChainUnavailable) throw error;
    if (error instanceof SourceRefusal) throw new ChainUnavailable('INVALID_RESPONSE', error.message);
    if (signal.aborted) throw new ChainUnavailable('DOWN', `${source.name} did not respond in time`);
    throw error;
  }
}

/**
 * Sends transactions that the offline program has signed, without a key. What each does is read from its bytes. Sending again changes
 * nothing: a transaction can be in a chain once.
 */
import type { Ctx } from '../../ctx.ts';
import { SourceRefusal } from '../../payments/chains/refusals.ts';
import { ChainUnavailable } from '../../payments/chains/watcher.ts';
import { addressSpaces } from '../../payments/currencies.ts';
import { networks } from '../../payments/sweep/networks.ts';
import { readSigned } from '../../payments/sweep/read-signed.ts';
import type { SignedFile } from '../../payments/sweep/signed-file.ts';
import { type SignedSweep, type SweepChain, InvalidTransaction } from '../../payments/sweep/sweep.ts';
import {
  createSweepSource,
  type FindResult,
  type Inclusion,
  type PostResult,
  type SentSweep,
  type SweepSource,
} from '../../payments/sweep/sweep-source.ts';
import * as addresses from './addresses.store.ts';
import { listSweep } from './sweeps.store.ts';

/** Within all requests of one transaction to one source. */
const REQUEST_LIMIT_MS = 30_000;
/** A source that fails as often without a success between is not asked again, or a file would take days. */
const FAILURES_MAX = 3;

export type SweepOutcome =
  | ({ state: 'IN_BLOCK' } & Inclusion)
  | { state: 'SENT' | 'SENT_BEFORE' | 'WAITING' | 'EXPIRED' | 'HELD_BACK' }
  | { state: 'REFUSED' | 'UNREACHABLE'; reason: string };

/**
 * Checks all before one is sent.
 * @throws Error with a sentence for the operator
 */
export async function checkSweeps(ctx: Ctx, { transactions }: SignedFile): Promise<SentSweep[]> {
  const sweeps = new Map<string, SentSweep>();
  for (const [position, { chain, raw }] of transactions.entries()) {
    const sweep = { ...readOrExplain(position + 1, chain, raw), raw };
    sweeps.set(sweep.transactionId, sweep);
  }
  for (const sweep of sweeps.values()) {
    if (ctx.config.payments.urls[sweep.chain] === undefined)
      throw new Error(`No sources of ${sweep.chain} are set, so nothing was sent.`);
    await checkAddresses(ctx, sweep);
  }
  return [...sweeps.values()];
}

function readOrExplain(number: number, chain: SweepChain, raw: string): SignedSweep {
  try {
    return readSigned[chain](raw);
  } catch (error) {
    if (!(error instanceof InvalidTransaction)) throw error;
    throw new Error(`Transaction ${number} is not valid, so nothing was sent: ${error.message}`, { cause: error });
  }
}

/** A treasury at one of our addresses would be a payment of its customer. */
async function checkAddresses(ctx: Ctx, { chain, from, to }: SignedSweep): Promise<void> {
  const space = addressSpaces[chain];
  if (!(await addresses.isIssued(ctx, space, from)))
    throw new Error(`${from} is no address of this shop, so nothing was sent.`);
  if (await addresses.isIssued(ctx, space, to))
    throw new Error(`${to} is an address of a customer of this shop, so nothing was sent.`);
}

/** In the order of the file, because those of an address follow each other. */
export async function* broadcastSweeps(
  ctx: Ctx,
  sweeps: readonly SentSweep[],
  now: Date,
): AsyncGenerator<{ sweep: SentSweep; outcome: SweepOutcome }> {
  const sources = new Map<SweepChain, CountedSource[]>();
  const refusedFrom = new Set<string>();
  for (const sweep of sweeps) {
    const { chain, from, nonce } = sweep;
    const ofChain =
      sources.get(chain) ?? (ctx.config.payments.urls[chain] ?? []).map((url) => count(createSweepSource(chain, url)));
    sources.set(chain, ofChain);
    await listSweep(ctx, addressSpaces[chain], { ...sweep, asset: assetOf(sweep) });
    const outcome: SweepOutcome = refusedFrom.has(`${chain} ${from}`)
      ? { state: 'HELD_BACK' }
      : await broadcast(ofChain, sweep, now);
    // It would wait in the pools for one that never comes, and be sent by surprise.
    const hasFollowers = nonce !== undefined && (outcome.state === 'REFUSED' || outcome.state === 'UNREACHABLE');
    if (hasFollowers) refusedFrom.add(`${chain} ${from}`);
    yield { sweep, outcome };
  }
}

/** Every token is USDT: the offline program signs for no other contract than that of the list. */
const assetOf = ({ chain, contract }: SignedSweep): string => (contract === undefined ? networks[chain].coin : 'USDT');

interface CountedSource {
  source: SweepSource;
  failures: number;
}

const count = (source: SweepSource): CountedSource => ({ source, failures: 0 });

type SourceAnswer = FindResult | PostResult | { failure: string };

async function broadcast(sources: readonly CountedSource[], sweep: SentSweep, now: Date): Promise<SweepOutcome> {
  const isExpired = sweep.expiresAt !== undefined && sweep.expiresAt <= now;
  const usable = sources.filter(({ failures }) => failures < FAILURES_MAX);
  const answers = await Promise.all(usable.map((source) => askSource(source, sweep, isExpired)));
  const included = answers.filter((answer) => typeof answer === 'object' && 'isSuccessful' in answer);
  const failures = answers.filter((answer) => typeof answer === 'object' && 'failure' in answer);
  const reachable = answers.length - failures.length;
  if (reachable === 0) return { state: 'UNREACHABLE', reason: failures[0]?.failure ?? 'no source can be reached' };
  // One source alone may be on another branch, or lie: the others get it nevertheless.
  if (included.length === reachable)
    return {
      state: 'IN_BLOCK',
      height: included.find(({ height }) => height !== undefined)?.height,
      isSuccessful: included.every((each) => each.isSuccessful),
    };
  if (answers.includes('TAKEN')) return { state: 'SENT' };
  if (included.length > 0 || answers.includes('KNOWN')) return { state: 'SENT_BEFORE' };
  if (isExpired) return { state: 'EXPIRED' };
  if (answers.includes('EARLY')) return { state: 'WAITING' };
  const refusal = answers.find((answer) => typeof answer === 'object' && 'refusal' in answer);
  return { state: 'REFUSED', reason: refusal?.refusal ?? 'no reason' };
}

async function askSource(counted: CountedSource, sweep: SentSweep, isExpired: boolean): Promise<SourceAnswer> {
  const { source } = counted;
  const signal = AbortSignal.timeout(REQUEST_LIMIT_MS);
  try {
    const found = await source.find(sweep, signal);
    const answer = found ?? (isExpired ? { refusal: 'expired' } : await source.post(sweep, signal));
    counted.failures = 0;
    return answer;
  } catch (error) {
    const isOfSource = error instanceof ChainUnavailable || error instanceof SourceRefusal || signal.aborted;
    if (!isOfSource) throw error;
    counted.failures += 1;
    return { failure: error instanceof Error ? error.message : `${source.name} did not respond in time` };
  }
}

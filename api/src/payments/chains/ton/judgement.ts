/** What other sources say about a transaction that one source serves, and that was never confirmed. */
import { SourceRefusal } from '../refusals.ts';
import { ChainUnavailable, type ObservedPayment } from '../watcher.ts';
import { findPayment } from './acceptance.ts';
import { agreedBlock, type Chain, toObserved } from './poll.ts';
import type { MasterBlock, TonSource } from './source.ts';
import { identify, type TonTransaction } from './transaction.ts';

/** Of one source, which may invent any number. */
export const MISSING_MAX = 100;
/** Of a block of the masterchain behind the transactions that it contains. */
const BLOCK_MARGIN_MS = 60_000;

export interface Found {
  node: TonSource;
  transaction: TonTransaction;
}

interface Judgement {
  /** `UNKNOWN`: no other source could be asked. */
  verdict: 'SAME' | 'DENIED' | 'UNKNOWN';
  payment?: ObservedPayment | undefined;
}

export async function judge(
  { node, transaction }: Found,
  nodes: readonly TonSource[],
  chain: Chain,
): Promise<Judgement> {
  let verdict: Judgement['verdict'] = 'UNKNOWN';
  for (const other of nodes) {
    if (other === node) continue;
    const answer = await other.transaction(transaction, chain.signal).catch(orIfUnavailable('FAILED' as const));
    if (answer === 'FAILED') continue;
    const isSame = answer && identify(answer) === identify(transaction);
    const seqno = transaction.masterSeqno ?? answer?.masterSeqno;
    const block = isSame && (await findBlock([node, other], transaction, seqno, chain));
    verdict = 'DENIED';
    if (!block) continue;
    chain.confirmed.remember(transaction, block);
    const payment = findPayment(chain.watched, transaction);
    return { verdict: 'SAME', payment: payment && toObserved(chain, transaction, payment, block) };
  }
  return { verdict };
}

/** Version 2 does not say which block contains a transaction: then it is one that surely follows, since all of them are final. */
async function findBlock(
  sources: readonly [TonSource, TonSource],
  { time }: TonTransaction,
  seqno: number | undefined,
  { signal }: Chain,
): Promise<MasterBlock | undefined> {
  try {
    const known = seqno ?? (await sources[0].blockAt(new Date(time.getTime() + BLOCK_MARGIN_MS), signal))?.seqno;
    return known === undefined ? undefined : await agreedBlock(sources, known, signal);
  } catch (error) {
    return orIfUnavailable(undefined)(error);
  }
}

/** A source that does not respond is named by the polls. */
export const orIfUnavailable =
  <Answer>(instead: Answer) =>
  (error: unknown): Answer => {
    if (error instanceof ChainUnavailable || error instanceof SourceRefusal) return instead;
    throw error;
  };

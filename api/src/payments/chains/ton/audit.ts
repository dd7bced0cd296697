/**
 * What the polls have passed is asked of every source in turn, a few accounts at each poll: whether it serves a transaction that was never
 * confirmed. So an index that hides or changes one for longer than windows overlap is noticed, as long as one other source is honest.
 */
import { LRUCache } from 'lru-cache';
import { SourceRefusal } from '../refusals.ts';
import { CONTRADICTION } from '../sources.ts';
import { ChainUnavailable, type ObservedPayment, type Poll } from '../watcher.ts';
import { findPayment } from './acceptance.ts';
import { readCursor } from './cursor.ts';
import { agreedBlock, type Chain, toObserved } from './poll.ts';
import type { TonSource } from './source.ts';
import { identify, type TonTransaction } from './transaction.ts';

/** What is older is left to the daily comparison. */
const LOOK_BACK_MS = 2 * 60 * 60_000;
/** Other sources may serve a new one later. */
const SETTLED_MS = 60_000;
/** Of each source, so that polls go on at the pace of a free plan. */
const TRANSACTIONS_PER_POLL = 5;
const MISSING_MAX = 100;
const LINKS_MAX = 20_000;

interface Found {
  node: TonSource;
  transaction: TonTransaction;
}

interface Progress {
  /** The last account that was asked for. */
  after: string;
  /** The transaction before each one, as this source says. */
  links: LRUCache<string, TonTransaction['previous']>;
}

export function createAudit(nodes: readonly TonSource[]) {
  const progress = new Map<TonSource, Progress>(
    nodes.map((node) => [node, { after: '', links: new LRUCache({ max: LINKS_MAX }) }]),
  );
  /** Transactions that one source serves and no other one. */
  const missing = new Map<string, Found>();

  /** @throws ChainUnavailable if one of only two sources serves a transaction that the other one does not have */
  return async (poll: Poll, chain: Chain): Promise<Poll> => {
    const until = new Date(readCursor(poll.cursor).allTime * 1000 - SETTLED_MS);
    const payments: ObservedPayment[] = [];
    const judgeAll = async (found: readonly Found[]) => {
      for (const one of found)
        if (!chain.confirmed.knows(one.transaction.hash)) payments.push(...(await judge(one, nodes, missing, chain)));
    };
    await judgeAll(await askAgain(missing, chain));
    for (const node of nodes)
      await judgeAll(await findUnconfirmed(node, progress.get(node)!, chain, until).catch(ignoreFailure([])));
    const warnings = [...missing.values()].map(explain);
    // Of two sources none is believed alone; with three, the others go on.
    if (warnings[0] !== undefined && nodes.length === 2) throw new ChainUnavailable('DISAGREEING', warnings[0]);
    return { ...poll, payments: [...poll.payments, ...payments], warnings: [...(poll.warnings ?? []), ...warnings] };
  };
}

const explain = ({ node, transaction: { hash, account, time } }: Found) =>
  `${CONTRADICTION}: ${node.transport.name} serves the transaction ${hash} of ${account} of ${time.toISOString()}, which no other source serves alike`;

/** A source that does not answer is named by the polls. */
const ignoreFailure =
  <Answer>(instead: Answer) =>
  (error: unknown): Answer => {
    if (error instanceof ChainUnavailable || error instanceof SourceRefusal) return instead;
    throw error;
  };

/** @returns those that their sources still serve */
async function askAgain(missing: Map<string, Found>, { signal }: Chain): Promise<Found[]> {
  const again: Found[] = [];
  for (const [hash, { node, transaction: known }] of [...missing].slice(0, TRANSACTIONS_PER_POLL)) {
    missing.delete(hash);
    const transaction = await node.transaction(known, signal).catch(ignoreFailure(known));
    if (transaction) again.push({ node, transaction });
  }
  return again;
}

async function findUnconfirmed(
  node: TonSource,
  progress: Progress,
  { addresses, confirmed, signal }: Chain,
  until: Date,
): Promise<Found[]> {
  const accounts = [...addresses.values()].flatMap(({ owner, wallet }) => [owner, wallet]).sort();
  const asked = accounts.filter((account) => account > progress.after).slice(0, node.statesPerPoll);
  if (asked.length === 0) progress.after = '';
  if (asked.length === 0) return [];
  const beginning = await node.blockAt(new Date(until.getTime() - LOOK_BACK_MS), signal);
  const states = await node.states(asked, signal);
  const found: Found[] = [];
  let left = TRANSACTIONS_PER_POLL;
  for (const account of asked) {
    let id = states.get(account)?.last;
    while (id && id.lt > 0n && id.lt >= (beginning?.startLt ?? 0n)) {
      let previous = progress.links.get(id.hash);
      if (!previous) {
        if (left === 0) return found;
        left -= 1;
        const transaction = await node.transaction({ account, ...id }, signal);
        if (!transaction) break;
        ({ previous } = transaction);
        if (transaction.time <= until) {
          progress.links.set(id.hash, previous);
          if (!confirmed.knows(id.hash)) found.push({ node, transaction });
        }
      }
      id = previous;
    }
    progress.after = account;
  }
  return found;
}

/** @returns the payment if another source says the same */
async function judge(
  { node, transaction }: Found,
  nodes: readonly TonSource[],
  missing: Map<string, Found>,
  chain: Chain,
): Promise<ObservedPayment[]> {
  let isDenied = false;
  for (const other of nodes) {
    if (other === node) continue;
    const answer = await other.transaction(transaction, chain.signal).catch(ignoreFailure('FAILED' as const));
    if (answer === 'FAILED') continue;
    const seqno = transaction.masterSeqno ?? answer?.masterSeqno;
    const isSame = answer && identify(answer) === identify(transaction);
    const block =
      isSame && seqno && (await agreedBlock([node, other], seqno, chain.signal).catch(ignoreFailure(undefined)));
    if (!block) {
      isDenied = true;
      continue;
    }
    chain.confirmed.remember(transaction, block);
    const payment = findPayment(chain.watched, transaction);
    return payment ? [toObserved(chain, transaction, payment, block)] : [];
  }
  if (isDenied && missing.size < MISSING_MAX) missing.set(transaction.hash, { node, transaction });
  return [];
}

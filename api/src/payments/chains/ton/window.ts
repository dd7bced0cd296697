/**
 * Reads the transactions of accounts in a window of time, and proves that an index has left none of them out as far as this can be proven:
 * each transaction names the one before it, and the state of an account names its last one.
 */
import { failOf, type MasterBlock, type TimeRange, type TonSource } from './source.ts';
import type { TonTransaction } from './transaction.ts';

/** Around the beginning of the window, times and logical times of different shards do not have the same order. */
const MARGIN_MS = 60_000;
/** A source without blocks in its answers may have newer transactions than the end of the window. */
const UNSURE_MS = 30_000;

export interface Window {
  range: TimeRange;
  end: MasterBlock;
}

/** @returns those in blocks up to the end of the window @throws ChainUnavailable if one is missing */
export async function readWindow(
  source: TonSource,
  accounts: readonly string[],
  { range, end }: Window,
  signal: AbortSignal,
): Promise<TonTransaction[]> {
  if (accounts.length === 0) return [];
  const wanted = new Set(accounts);
  const read = await source.index!.transactions(accounts, range, signal);
  const unique = new Map(read.filter(({ account }) => wanted.has(account)).map((one) => [one.hash, one]));
  const transactions = [...unique.values()];
  const firstPrevious = findFirstPrevious(source, transactions);
  if (firstPrevious.some((lt) => lt > 0n)) {
    const beginning = await source.blockAt(new Date(range.from.getTime() + MARGIN_MS), signal);
    const gap = firstPrevious.find((lt) => beginning !== undefined && lt >= beginning.startLt);
    if (gap !== undefined) throw skipped(source);
  }
  return transactions.filter(({ masterSeqno }) => masterSeqno! <= end.seqno);
}

const skipped = (index: TonSource) => failOf(index, 'LAGGING', 'has skipped a transaction of one of our addresses');

/** @returns the logical times of what came before the first one of each account @throws ChainUnavailable if one in between is missing */
function findFirstPrevious(source: TonSource, transactions: readonly TonTransaction[]): bigint[] {
  return [...byAccount(transactions).values()].map((list) => {
    list.sort((a, b) => (a.lt < b.lt ? -1 : 1));
    for (const [index, { previous }] of list.entries()) {
      if (index > 0 && previous.hash !== list[index - 1]!.hash) throw skipped(source);
    }
    return list[0]!.previous.lt;
  });
}

function byAccount(transactions: readonly TonTransaction[]): Map<string, TonTransaction[]> {
  const lists = new Map<string, TonTransaction[]>();
  for (const transaction of transactions) {
    const list = lists.get(transaction.account);
    if (list) list.push(transaction);
    else lists.set(transaction.account, [transaction]);
  }
  return lists;
}

/**
 * @param source any, also another one than the index of the transactions
 * @throws ChainUnavailable if it names a last transaction of an account in the window that was not read, or that it does not serve
 */
export async function requireLast(
  source: TonSource,
  index: TonSource,
  accounts: readonly string[],
  transactions: readonly TonTransaction[],
  { range, end }: Window,
  signal: AbortSignal,
): Promise<void> {
  const read = byAccount(transactions);
  const named = [...(await source.states(accounts, signal))].flatMap(([account, { last }]) => {
    const lastRead = read.get(account)?.reduce((newest, { lt }) => (lt > newest ? lt : newest), 0n) ?? 0n;
    return last && last.lt > lastRead ? { account, ...last } : [];
  });
  if (named.length === 0) return;
  // What is older than the window was read before, and the source may have deleted it.
  const beginning = await source.blockAt(new Date(range.from.getTime() - MARGIN_MS), signal);
  for (const last of named.filter(({ lt }) => lt >= (beginning?.startLt ?? 0n))) {
    const newer = await source.transaction(last, signal);
    if (!newer) throw failOf(source, 'LAGGING', `does not serve ${last.hash}, which it names as the last transaction`);
    if (newer.time >= range.from && newer.time <= range.to && isBefore(newer, end)) throw skipped(index);
  }
}

function isBefore({ masterSeqno, time }: TonTransaction, end: MasterBlock): boolean {
  if (masterSeqno !== undefined) return masterSeqno <= end.seqno;
  return time.getTime() < end.time.getTime() - UNSURE_MS;
}

/** One poll: the transactions of our accounts since the cursor, each confirmed by a second source, so that no index alone says what is no payment. */
import { agree } from '../sources.ts';
import { ChainUnavailable, type ObservedPayment, type Poll } from '../watcher.ts';
import { findPayment, type Payment, type WatchedAccounts } from './acceptance.ts';
import type { Accounts } from './accounts.ts';
import { type ConfirmedMemory, confirmBySecond } from './confirmation.ts';
import { readCursor, type TonCursor, writeCursor } from './cursor.ts';
import { failOf, type MasterBlock, type TonSource } from './source.ts';
import type { TonTransaction } from './transaction.ts';
import { readWindow, requireLast, type Window } from './window.ts';

export interface Chain {
  /** With an index. */
  first: TonSource;
  /** Undefined if only one source is configured. */
  second: TonSource | undefined;
  /** A transaction that the second source does not have keeps the cursor, instead of another pair of sources being tried. */
  isPatient: boolean;
  /** For the confirmation of transactions in one poll: a stranger may send many small ones. */
  confirmationMs: number;
  /** The newest block that both have. */
  target: MasterBlock;
  addresses: ReadonlyMap<string, Accounts>;
  /** Addresses with an open invoice. */
  open: ReadonlySet<string>;
  watched: WatchedAccounts;
  confirmed: ConfirmedMemory;
  /** A source knows other wallets of the token than those that we derive. */
  tokenProblem: string | undefined;
  now: () => Date;
  signal: AbortSignal;
}

/** Transactions are served late, and times of blocks overlap, so that each window begins before the end of the one before. */
const OVERLAP_SECONDS = 600;
const WINDOW_SECONDS = 30 * 60;
/** Addresses with open invoices must not run ahead of the others without bound. */
const AHEAD_SECONDS = 60 * 60;
const OTHERS_EVERY_SECONDS = 60;
/** 4,000 accounts: 40 requests. */
const OTHERS_PER_POLL = 2000;
const UNCONFIRMED_MAX_SECONDS = 600;
const CLOCK_ERROR_MS = 3000;

export async function pollChain(chain: Chain, text: string | null): Promise<Poll> {
  if (text === null) return toPoll(chain, startAt(chain.target), chain.target.seqno, []);
  const cursor = readCursor(text);
  if (chain.target.seqno < cursor.seqno)
    throw new ChainUnavailable(
      'LAGGING',
      `the sources have no blocks after ${chain.target.seqno}, which were read before`,
    );
  const end = await findEnd(chain, cursor);
  const others = choosePart(chain, cursor, end);
  const from = cursor.allTime - OVERLAP_SECONDS;
  const openRead = await readPart(chain, [...chain.open], toWindow(from, end, end.time), others !== undefined);
  const untilTime = others ? new Date(others.until * 1000) : end.time;
  const othersRead = await readPart(chain, others?.addresses ?? [], toWindow(from, end, untilTime), true);
  const { payments, unconfirmed, isComplete } = await confirmAll(chain, [...openRead, ...othersRead]);
  if (unconfirmed) requirePatience(chain, unconfirmed);
  if (unconfirmed || !isComplete)
    return toPoll(chain, cursor, cursor.seqno, payments, explainDelay(chain, unconfirmed));
  const next: TonCursor = {
    seqno: end.seqno,
    time: toSeconds(end.time),
    allTime: others?.isLast ? others.until : cursor.allTime,
    ...(others && !others.isLast && { part: { until: others.until, after: others.addresses.at(-1)! } }),
  };
  return toPoll(chain, next, end.seqno, payments);
}

export function startAt({ seqno, time }: MasterBlock): TonCursor {
  return { seqno, time: toSeconds(time), allTime: toSeconds(time) };
}

const toSeconds = (time: Date): number => Math.floor(time.getTime() / 1000);

const toWindow = (fromSeconds: number, end: MasterBlock, to: Date): Window => ({
  range: { from: new Date(Math.max(0, fromSeconds) * 1000), to },
  end,
});

/** While it catches up, windows are bounded. */
async function findEnd({ first, second, target, signal }: Chain, cursor: TonCursor): Promise<MasterBlock> {
  const latest = Math.min(cursor.time + WINDOW_SECONDS, cursor.allTime + AHEAD_SECONDS);
  if (toSeconds(target.time) <= latest) return target;
  const end = await first.blockAt(new Date(latest * 1000), signal);
  if (!end || end.seqno < cursor.seqno)
    throw failOf(first, 'LAGGING', `has no block of ${new Date(latest * 1000).toISOString()}`);
  return second ? agreedBlock([first, second], end.seqno, signal) : end;
}

/** @throws ChainUnavailable if they have different ones, or one has none */
export function agreedBlock(sources: readonly TonSource[], seqno: number, signal: AbortSignal): Promise<MasterBlock> {
  const read = async (source: TonSource) => {
    const block = await source.block(seqno, signal);
    if (block?.seqno === seqno) return block;
    throw failOf(source, 'LAGGING', `does not have block ${seqno}`);
  };
  return agree(sources, `block ${seqno}`, read, ({ rootHash, time }) => `${rootHash} ${time.getTime()}`);
}

interface Part {
  /** Ascending. */
  addresses: readonly string[];
  until: number;
  isLast: boolean;
}

/** Addresses without an open invoice are read every minute, and many of them in several polls. */
function choosePart({ addresses, open }: Chain, cursor: TonCursor, end: MasterBlock): Part | undefined {
  const endTime = toSeconds(end.time);
  if (!cursor.part && endTime - cursor.allTime < OTHERS_EVERY_SECONDS) return undefined;
  const { until, after } = cursor.part ?? { until: endTime, after: '' };
  const left = [...addresses.keys()].filter((address) => !open.has(address) && address > after).sort();
  return { addresses: left.slice(0, OTHERS_PER_POLL), until, isLast: left.length <= OTHERS_PER_POLL };
}

async function readPart(
  { first, second, addresses, signal }: Chain,
  part: readonly string[],
  window: Window,
  isLastRequired: boolean,
): Promise<TonTransaction[]> {
  const accounts = part.flatMap((address) => Object.values(addresses.get(address)!) as string[]);
  const transactions = await readWindow(first, accounts, window, signal);
  if (!isLastRequired || accounts.length === 0) return transactions;
  for (const source of second ? [first, second] : [first]) {
    // One request for each account: more of them are asked for in turns, by the audit.
    if (source.readsStatesTogether || accounts.length <= source.statesPerPoll)
      await requireLast(source, first, accounts, transactions, window, signal);
  }
  return transactions;
}

/** @returns `isComplete`: false if there was no time for all of them; those that were confirmed are remembered for the next poll */
async function confirmAll(chain: Chain, transactions: readonly TonTransaction[]) {
  const payments: ObservedPayment[] = [];
  const untilMs = performance.now() + chain.confirmationMs;
  let unconfirmed: TonTransaction | undefined;
  let asked = 0;
  let isComplete = true;
  for (const transaction of inTurns(transactions)) {
    if (!chain.confirmed.knows(transaction.hash)) {
      // One at least, so that every poll makes progress.
      if (asked > 0 && performance.now() >= untilMs) {
        isComplete = false;
        continue;
      }
      asked += 1;
    }
    const block = await blockOf(chain, transaction);
    if (!(await isConfirmed(chain, transaction, block))) {
      if (!unconfirmed || transaction.time < unconfirmed.time) unconfirmed = transaction;
    } else {
      const payment = findPayment(chain.watched, transaction);
      if (payment) payments.push(toObserved(chain, transaction, payment, block));
    }
  }
  return { payments, unconfirmed, isComplete };
}

/** Of each account the first one, then of each the second one: many of one account do not delay those of others. */
function inTurns(transactions: readonly TonTransaction[]): TonTransaction[] {
  const counts = new Map<string, number>();
  const turns = transactions.map((transaction) => {
    const turn = counts.get(transaction.account) ?? 0;
    counts.set(transaction.account, turn + 1);
    return { transaction, turn };
  });
  return turns.sort((a, b) => a.turn - b.turn).map(({ transaction }) => transaction);
}

function explainDelay({ second }: Chain, unconfirmed: TonTransaction | undefined): string[] {
  if (!unconfirmed) return ['more transactions were found than could be confirmed in one poll'];
  return [`${second!.transport.name} does not have the transaction ${unconfirmed.hash} yet`];
}

async function blockOf({ first, target, signal, confirmed }: Chain, { masterSeqno }: TonTransaction) {
  if (masterSeqno === target.seqno) return target;
  const block = confirmed.block(masterSeqno!) ?? (await first.block(masterSeqno!, signal));
  if (block) return block;
  throw failOf(first, 'LAGGING', `does not have block ${masterSeqno}`);
}

async function isConfirmed(
  { first, second, confirmed, target, signal }: Chain,
  transaction: TonTransaction,
  block: MasterBlock,
): Promise<boolean> {
  if (confirmed.has(transaction, block)) return true;
  const isAgreedBlock = block === target || block === confirmed.block(block.seqno);
  if (second && !(await confirmBySecond(first, second, transaction, block, isAgreedBlock, signal))) return false;
  confirmed.remember(transaction, block);
  return true;
}

/** With other sources, they are asked at once; otherwise the second one may be slower for some minutes. */
function requirePatience({ second, isPatient, target }: Chain, { hash, time }: TonTransaction): void {
  const ageSeconds = Math.round((target.time.getTime() - time.getTime()) / 1000);
  if (isPatient && ageSeconds <= UNCONFIRMED_MAX_SECONDS) return;
  throw new UnconfirmedTransaction(
    'DISAGREEING',
    `${second!.transport.name} does not have the transaction ${hash}, which is ${ageSeconds} seconds old`,
  );
}

/** Of one pair of sources; others may agree. */
export class UnconfirmedTransaction extends ChainUnavailable {}

export function toObserved(
  { now }: Chain,
  transaction: TonTransaction,
  payment: Payment,
  block: MasterBlock,
): ObservedPayment {
  return {
    ...payment,
    transactionId: transaction.hash,
    // A transaction has one incoming message.
    output: 0,
    block: { height: block.seqno, hash: block.rootHash, time: block.time },
    // The sender cannot choose it, but the clock of this machine may be behind.
    arrivedAt: new Date(Math.min(transaction.time.getTime(), now().getTime())),
  };
}

function toPoll(
  { target, tokenProblem }: Chain,
  cursor: TonCursor,
  scannedHeight: number,
  payments: readonly ObservedPayment[],
  warnings: readonly string[] = [],
): Poll {
  const { seqno: height, rootHash: hash, time } = target;
  return {
    cursor: writeCursor(cursor),
    payments,
    orphanedBlockHashes: [],
    pooledTransactionIds: undefined,
    head: { height, hash, time, safeHeight: height, finalizedHeight: height },
    scannedHeight,
    clockErrorMs: CLOCK_ERROR_MS,
    warnings: tokenProblem === undefined ? warnings : [...warnings, tokenProblem],
    refusedAssets: tokenProblem === undefined ? [] : ['USDT'],
  };
}

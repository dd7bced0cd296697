/**
 * What the polls have passed is asked of every source in turn, some accounts at each poll: whether it serves a transaction that was never
 * confirmed. So an index that hides or changes one for longer than windows overlap is noticed, as long as one other source is honest. A source
 * that could not be asked about an account for too long is a warning, too.
 */
import { createLru } from '../../../process/lru.ts';
import { SourceRefusal } from '../refusals.ts';
import { CONTRADICTION } from '../sources.ts';
import { ChainUnavailable, type ObservedPayment, type Poll } from '../watcher.ts';
import { readCursor } from './cursor.ts';
import { type Found, judge, MISSING_MAX, orIfUnavailable } from './judgement.ts';
import type { Chain } from './poll.ts';
import type { TonSource } from './source.ts';
import type { TonTransaction } from './transaction.ts';

/** What is older is left to the daily comparison. */
const LOOK_BACK_MS = 2 * 60 * 60_000;
/** Other sources may serve a new one later. */
const SETTLED_MS = 60_000;
const MINUTE_MS = 60_000;
const BACKLOG_MINUTES = 15;
const REPORTED_MS = 10 * MINUTE_MS;
const PAYMENTS_MAX = 10_000;

/** Of one account at one source. The account that was visited last is the last one of its map. */
interface Visit {
  /** This source was asked for everything up to this time of the chain, or the account was not watched before. */
  untilMs: number;
  /** The newest one of it. */
  untilLt: bigint;
  /** What is still to be asked for, from the newest to older ones. */
  walk?: Walk | undefined;
}

interface Walk {
  beganMs: number;
  next: TonTransaction['previous'];
  /** The first one that others had the time to serve, too. */
  newestLt?: bigint | undefined;
}

type Visits = Map<string, Visit>;

export function createAudit(nodes: readonly TonSource[]) {
  const visits = new Map<TonSource, Visits>(nodes.map((node) => [node, new Map()]));
  /** Transactions that one source serves and no other one. */
  const missing = new Map<string, Found>();
  /** Reported more than once, because a poll may fail before it is stored, and what is confirmed is not found again. */
  const payments = createLru<string, ObservedPayment>(PAYMENTS_MAX, { ttl: REPORTED_MS });

  /** @throws ChainUnavailable if one of only two sources serves a transaction that the other one does not have */
  return async (poll: Poll, chain: Chain): Promise<Poll> => {
    const untilMs = readCursor(poll.cursor).allTime * 1000 - SETTLED_MS;
    const judgeOne = async (found: Found): Promise<boolean> => {
      const { verdict, payment } = await judge(found, nodes, chain);
      if (payment) payments.set(payment.transactionId, payment);
      if (verdict === 'DENIED') missing.set(found.transaction.hash, found);
      return verdict !== 'UNKNOWN';
    };
    // Each of them is asked of the others, one of which may be slow.
    const transactionsMax = Math.min(...nodes.map(({ transactionsPerPoll }) => transactionsPerPoll));
    for (const found of await takeMissing(missing, transactionsMax, chain))
      if (!(await judgeOne(found))) missing.set(found.transaction.hash, found);
    const hasRoom = (node: TonSource) =>
      [...missing.values()].filter((found) => found.node === node).length < MISSING_MAX;
    const backlogs = await Promise.all(
      nodes.map(async (node) => {
        const ofNode = visits.get(node)!;
        keepWatched(ofNode, chain, untilMs);
        const audited = { node, chain, untilMs, transactionsMax, judgeOne, hasRoom: () => hasRoom(node) };
        const failure = await visitSome(audited, ofNode).catch(asUnavailable);
        return describeBacklog(node, ofNode, chain, failure);
      }),
    );
    const contradictions = [...missing.values()].map(explain);
    // Of two sources none is believed alone; with three, the others go on.
    if (contradictions[0] !== undefined && nodes.length === 2)
      throw new ChainUnavailable('DISAGREEING', contradictions[0]);
    const warnings = [...(poll.warnings ?? []), ...contradictions, ...backlogs.flat()];
    return { ...poll, payments: [...poll.payments, ...payments.values()], warnings };
  };
}

const explain = ({ node, transaction: { hash, account, time } }: Found) =>
  `${CONTRADICTION}: ${node.transport.name} serves the transaction ${hash} of ${account} of ${time.toISOString()}, which no other source serves alike`;

/** A source that does not respond at all contradicts no other. */
function describeBacklog(
  { transport }: TonSource,
  visits: Visits,
  { target, signal }: Chain,
  failure: ChainUnavailable | undefined,
): string[] {
  const earliestMs = target.time.getTime() - BACKLOG_MINUTES * MINUTE_MS;
  const count = [...visits.values()].filter(({ untilMs }) => untilMs < earliestMs).length;
  if (count === 0) return [];
  const isDown = failure?.reason === 'DOWN' && !signal.aborted;
  const backlog = `could not be asked about ${count} of ${visits.size} accounts for more than ${BACKLOG_MINUTES} minutes`;
  return [`${isDown ? '' : `${CONTRADICTION}: `}${transport.name} ${backlog}`];
}

function asUnavailable(error: unknown): ChainUnavailable | undefined {
  if (error instanceof ChainUnavailable) return error;
  if (error instanceof SourceRefusal) return undefined;
  throw error;
}

/** @returns those that their sources still serve */
async function takeMissing(missing: Map<string, Found>, max: number, { confirmed, signal }: Chain): Promise<Found[]> {
  const again: Found[] = [];
  for (const [hash, { node, transaction: known }] of [...missing].slice(0, max)) {
    const transaction = await node.transaction(known, signal).catch(orIfUnavailable(known));
    missing.delete(hash);
    if (transaction && !confirmed.knows(hash)) again.push({ node, transaction });
  }
  return again;
}

function keepWatched(visits: Visits, { addresses }: Chain, untilMs: number): void {
  const watched = new Set([...addresses.values()].flatMap(({ owner, wallet }) => [owner, wallet]));
  for (const account of visits.keys()) if (!watched.has(account)) visits.delete(account);
  for (const account of watched) if (!visits.has(account)) visits.set(account, { untilMs, untilLt: 0n });
}

interface Audited {
  node: TonSource;
  chain: Chain;
  untilMs: number;
  transactionsMax: number;
  /** @returns false if no other source could be asked */
  judgeOne: (found: Found) => Promise<boolean>;
  /** For more that no other source serves. */
  hasRoom: () => boolean;
}

/** Each account gets a turn, and in it one transaction after the others: one with many of them delays only itself. */
async function visitSome(audited: Audited, visits: Visits): Promise<undefined> {
  const { node, chain, untilMs, transactionsMax } = audited;
  const turns = [...visits].slice(0, node.statesPerPoll);
  for (const [account, visit] of turns) {
    visits.delete(account);
    visits.set(account, visit);
  }
  await beginWalks(audited, new Map(turns));
  let walking = turns.filter(([, { walk }]) => walk !== undefined);
  if (walking.length === 0) return;
  const beginning = await node.blockAt(new Date(untilMs - LOOK_BACK_MS), chain.signal);
  for (let left = transactionsMax; walking.length > 0;) {
    const further: [string, Visit][] = [];
    for (const [account, visit] of walking) {
      if (skipKnown(visit, chain, beginning?.startLt ?? 0n) || left === 0) continue;
      left -= 1;
      if (await askNext(audited, account, visit)) further.push([account, visit]);
    }
    walking = further;
  }
}

async function beginWalks({ node, chain, untilMs }: Audited, turns: ReadonlyMap<string, Visit>): Promise<void> {
  const wanted = [...turns].flatMap(([account, { walk }]) => (walk ? [] : [account]));
  const groups = node.readsStatesTogether ? [wanted] : wanted.map((account) => [account]);
  for (const group of groups.filter(({ length }) => length > 0)) {
    const states = await node.states(group, chain.signal).catch(orIfRefused(undefined));
    if (!states) continue;
    for (const account of group) {
      const visit = turns.get(account)!;
      const { last } = states.get(account) ?? {};
      if (last && last.lt > visit.untilLt) visit.walk = { beganMs: untilMs, next: last };
      else visit.untilMs = untilMs;
    }
  }
}

/** What two sources have confirmed need not be asked for. @returns whether the walk has ended */
function skipKnown(visit: Visit, { confirmed }: Chain, beginningLt: bigint): boolean {
  const walk = visit.walk!;
  for (;;) {
    const { next } = walk;
    if (next.lt <= visit.untilLt || next.lt < beginningLt) {
      visit.untilMs = walk.beganMs;
      visit.untilLt = walk.newestLt ?? visit.untilLt;
      visit.walk = undefined;
      return true;
    }
    const previous = confirmed.previousOf(next.hash);
    if (!previous || previous.lt >= next.lt) return false;
    walk.newestLt ??= next.lt;
    walk.next = previous;
  }
}

/** @returns whether the walk goes on in this poll */
async function askNext(audited: Audited, account: string, visit: Visit): Promise<boolean> {
  const { node, chain, untilMs, judgeOne, hasRoom } = audited;
  const walk = visit.walk!;
  const transaction = await node.transaction({ account, ...walk.next }, chain.signal).catch(orIfRefused(undefined));
  if (!transaction) {
    // The next turn begins with the newest one again.
    visit.walk = undefined;
    return false;
  }
  const isSettled = transaction.time.getTime() <= untilMs;
  if (isSettled && !(hasRoom() && (await judgeOne({ node, transaction })))) return false;
  walk.newestLt = isSettled ? (walk.newestLt ?? walk.next.lt) : undefined;
  walk.next = transaction.previous;
  return true;
}

/** About one account, so that the others are asked for all the same. */
const orIfRefused =
  <Answer>(instead: Answer) =>
  (error: unknown): Answer => {
    if (error instanceof SourceRefusal) return instead;
    if (error instanceof ChainUnavailable && error.reason === 'INVALID_RESPONSE') return instead;
    throw error;
  };

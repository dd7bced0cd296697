/** Watches TON and a token on it by two sources, one of which has an index of transactions. Rules: docs/chains.md. */
import { confirmBySources, createSources, type Probed } from '../sources.ts';
import { ChainUnavailable, type ChainWatcher } from '../watcher.ts';
import { type AccountsCache, createAccountsCache, toWatched } from './accounts.ts';
import { createAudit } from './audit.ts';
import { BALANCE_LIMITS, readBalances } from './balances.ts';
import { checkTonSource } from './check.ts';
import { type ConfirmedMemory, createConfirmedMemory, isReportedBy } from './confirmation.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { describeTonHoldings } from './holdings.ts';
import { type Jetton, USDT } from './jetton.ts';
import { toAccount } from './jetton-wallet.ts';
import { agreedBlock, type Chain, pollChain, startAt, UnconfirmedTransaction } from './poll.ts';
import { failOf, type MasterBlock, type TonSource } from './source.ts';
import { createTokenCheck, type TokenCheck } from './token-check.ts';
import { createSource } from './toncenter.ts';

export interface TonWatcherOptions {
  /** Two independent sources must agree; a third one replaces one that fails. */
  urls: readonly string[];
  jetton?: Jetton;
  /** The operator's own addresses: TON from them, such as for a sweep of tokens, is no payment. */
  fundingAddresses?: readonly string[];
  globalId?: number;
  timeoutMs?: number;
  /** To each source. Providers suspend those who ask for more. */
  requestsPerSecond?: number;
  /** For the confirmation of transactions in one poll. */
  confirmationMs?: number;
  now?: () => Date;
}

/** Test networks have others. */
const MAINNET_GLOBAL_ID = -239;
const HEAD_AGE_MAX_MS = 30_000;
/** A source that is so far behind the other one is not used. */
const BLOCKS_APART_MAX = 50;
const SOURCES_USED = 2;
/** Less than half of the time of a poll. */
const CONFIRMATION_MS = 20_000;
/** More of them are read as the others: one poll must end in time. */
const OPEN_MAX = 2000;

interface Watched {
  nodes: readonly TonSource[];
  jetton: Jetton;
  accounts: AccountsCache;
  fundingAccounts: ReadonlySet<string>;
  globalId: number;
  confirmed: ConfirmedMemory;
  tokenCheck: TokenCheck;
  confirmationMs: number;
  now: () => Date;
}

type Sources = readonly Probed<TonSource, MasterBlock>[];

export function createTonWatcher(options: TonWatcherOptions): ChainWatcher {
  const watched = prepare(options);
  const { nodes, jetton, fundingAccounts, accounts } = watched;
  const audit = createAudit(nodes);
  const allSources = createSources(nodes, ({ seqno }: MasterBlock) => ({ 'newest block': seqno }));
  const probeWith = (signal: AbortSignal) => (node: TonSource) => readHead(watched, node, signal);
  const withSources = <Result>(signal: AbortSignal, run: (sources: Sources) => Promise<Result>) =>
    allSources.use(probeWith(signal), run);
  return {
    poll: async (cursor, addresses, signal, open = addresses) => {
      const run = (isPatient: boolean) =>
        allSources.poll(probeWith(signal), async (sources) => {
          const chain = await openChain(watched, sources, { addresses, open, isPatient }, signal);
          const poll = await pollChain(chain, cursor);
          // What it has not read yet is none of the audit.
          return poll.scannedHeight < poll.head.height || nodes.length === 1 ? poll : audit(poll, chain);
        });
      const hasOthers = nodes.length > SOURCES_USED;
      return run(!hasOthers).catch((error: unknown) => {
        // No pair of sources has it: the payments of others do not wait.
        if (hasOthers && error instanceof UnconfirmedTransaction) return run(true);
        throw error;
      });
    },
    confirm: (payment, signal) =>
      confirmBySources(nodes, (node) => {
        const own = accounts.of(payment.address);
        const only = toWatched(new Map([[payment.address, own]]), jetton, fundingAccounts);
        return isReportedBy(node, nodes, payment, own, only, signal);
      }),
    balanceLimits: BALANCE_LIMITS,
    balances: (asset, addresses, signal) =>
      withSources(signal, (sources) => readBalances(nodesOf(sources), accountsOf(watched, addresses), asset, signal)),
    readTogetherMax: OPEN_MAX,
    readUntil: (cursor) => new Date(readCursor(cursor).allTime * 1000),
    cursorAt: (height, signal) =>
      withSources(signal, async (sources) => writeCursor(startAt(await agreedBlock(nodesOf(sources), height, signal)))),
    check: async (signal) => {
      const findings = nodes.map((node) => checkTonSource(node, jetton, () => readHead(watched, node, signal), signal));
      return (await Promise.all(findings)).flat();
    },
    describeHoldings: (held, signal) =>
      withSources(signal, (sources) => {
        const addresses = held.map(({ address }) => address);
        return describeTonHoldings(nodesOf(sources), accountsOf(watched, addresses), held, jetton.master, signal);
      }),
  };
}

const nodesOf = (sources: Sources) => sources.map(({ node }) => node);

const accountsOf = ({ accounts }: Watched, addresses: readonly string[]) =>
  new Map(addresses.map((address) => [address, accounts.of(address)]));

function prepare(options: TonWatcherOptions): Watched {
  const { urls, jetton = USDT, fundingAddresses = [], globalId = MAINNET_GLOBAL_ID, timeoutMs } = options;
  return {
    nodes: urls.map((url) => createSource(url, { timeoutMs, requestsPerSecond: options.requestsPerSecond })),
    jetton,
    accounts: createAccountsCache(jetton),
    fundingAccounts: new Set(fundingAddresses.map(toAccount)),
    globalId,
    confirmed: createConfirmedMemory(),
    tokenCheck: createTokenCheck(jetton),
    confirmationMs: options.confirmationMs ?? CONFIRMATION_MS,
    now: options.now ?? (() => new Date()),
  };
}

async function readHead({ globalId, now }: Watched, node: TonSource, signal: AbortSignal): Promise<MasterBlock> {
  const head = await node.head(signal);
  if (head.globalId !== globalId)
    throw failOf(node, 'INVALID_RESPONSE', `serves the network ${head.globalId}, not ${globalId}`);
  const ageMs = now().getTime() - head.time.getTime();
  if (ageMs > HEAD_AGE_MAX_MS)
    throw failOf(node, 'LAGGING', `lags: its newest block is ${Math.round(ageMs / 1000)} seconds old`);
  return head;
}

const lowest = (sources: Sources): MasterBlock =>
  sources.map(({ head }) => head).reduce((low, head) => (head.seqno < low.seqno ? head : low));

interface Asked {
  addresses: ReadonlySet<string>;
  open: ReadonlySet<string>;
  isPatient: boolean;
}

async function openChain(
  { jetton, accounts, fundingAccounts, confirmed, tokenCheck, confirmationMs, now }: Watched,
  sources: Sources,
  { addresses, open, isPatient }: Asked,
  signal: AbortSignal,
): Promise<Chain> {
  const indexed = sources.find(({ node }) => node.index);
  if (!indexed)
    throw new ChainUnavailable('INVALID_RESPONSE', 'no source that works has version 3, whose index finds payments');
  const target = lowest(sources);
  const highest = Math.max(...sources.map(({ head }) => head.seqno));
  const last = sources.find(({ head }) => head === target)!;
  if (highest - target.seqno > BLOCKS_APART_MAX)
    throw failOf(last.node, 'LAGGING', `is ${highest - target.seqno} blocks behind`);
  const second = sources.find((source) => source !== indexed)?.node;
  if (second) await requireSameBlock(sources, target, signal);
  const known = accounts.keep(addresses);
  return {
    first: indexed.node,
    second,
    isPatient,
    confirmationMs,
    target,
    addresses: known,
    open: new Set([...open].filter((address) => known.has(address)).slice(0, OPEN_MAX)),
    watched: toWatched(known, jetton, fundingAccounts),
    confirmed,
    tokenProblem: await tokenCheck.findProblem(nodesOf(sources), signal),
    now,
    signal,
  };
}

async function requireSameBlock(sources: Sources, target: MasterBlock, signal: AbortSignal): Promise<void> {
  for (const { node, head } of sources) {
    const same = head.seqno === target.seqno ? head : await node.block(target.seqno, signal);
    // The cursor is a time, which a liar must not move.
    if (same?.rootHash !== target.rootHash || same.time.getTime() !== target.time.getTime())
      throw failOf(node, 'DISAGREEING', `has another block ${target.seqno} than the other source`);
  }
}

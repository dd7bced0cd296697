/** Watches Ethereum and BSC: tokens by logs, the native coin by transactions and balances. Rules: docs/chains.md. */
import {
  type Checkpoint,
  CHECKPOINTS_MAX,
  cursorAt,
  readCursor,
  writeCursor,
  readFinalPayments,
  readPayments,
  type Reading,
} from './evm-reader.ts';
import { address, createEvmNode, type EvmHeader, type EvmNode } from './evm-node.ts';
import { checkEvmSource, type EvmHead } from './evm-check.ts';
import { BALANCE_LIMITS, describeEvmHoldings, readAgreedBalances } from './evm-holdings.ts';
import { chainRules, type EvmChain, type EvmRules } from './evm-rules.ts';
import { createTransferReader } from './evm-logs.ts';
import { agree, confirmBySources, type Probed, useSources } from './sources.ts';
import { type ChainHead, ChainUnavailable, type ChainWatcher, type ObservedPayment, type Poll } from './watcher.ts';

export interface EvmWatcherOptions {
  chain: EvmChain;
  /** Two independent providers must agree; a third one replaces one that fails. */
  urls: readonly string[];
  usdtContract: string;
  /** The operator's own addresses: their transactions, such as gas for a sweep, are not payments. */
  fundingAddresses?: readonly string[];
  /** An older newest block means that the node does not follow the chain. */
  headAgeMaxMs?: number;
  timeoutMs?: number;
  now?: () => Date;
}

/** Nodes may return the newest blocks before they have indexed their logs. */
const BLOCKS_BEHIND_HEAD = 2;
/** The time of a block is that of its slot, in whole seconds; a transaction may arrive some seconds later and still be in it. */
const CLOCK_ERROR_MS = 5000;

/** The state of one poll. */
interface Chain {
  head: ChainHead & { safeHeight: number; finalizedHeight: number };
  reading: Reading;
}

/** The settings of a watcher, with defaults, and its nodes. */
interface Watched extends Omit<Reading, 'nodes' | 'signal' | 'headerAt'> {
  rules: EvmRules;
  nodes: readonly EvmNode[];
  headAgeMaxMs: number;
}

export function createEvmWatcher(options: EvmWatcherOptions): ChainWatcher {
  const watched = prepare(options);
  const { nodes } = watched;
  const withChain = <Result>(signal: AbortSignal, run: (chain: Chain) => Promise<Result>) =>
    useSources(
      nodes,
      (node) => readHead(watched, node, signal),
      async (sources) => run(await openChain(watched, sources, signal)),
    );
  return {
    poll: (cursor, addresses, signal) =>
      withChain(signal, (chain) => pollChain(chain, cursor, addresses, watched.rules.blocksPerPoll)),
    confirm: (payment, signal) =>
      confirmBySources(nodes, (node) => isReportedBy(payment, toReading(watched, [node], signal))),
    balanceLimits: BALANCE_LIMITS,
    balances: (asset, addresses, signal) =>
      withChain(signal, ({ head, reading }) => readAgreedBalances(reading, head.finalizedHeight, asset, addresses)),
    cursorAt: (height, signal) =>
      withChain(signal, ({ head, reading }) => cursorAt(reading, height, head.finalizedHeight)),
    check: async (signal) => {
      const checkSource = (node: EvmNode) =>
        checkEvmSource(node, watched, () => readHead(watched, node, signal), signal);
      return (await Promise.all(nodes.map(checkSource))).flat();
    },
    describeHoldings: (held, signal) =>
      withChain(signal, ({ head, reading }) => describeEvmHoldings(options, reading, head.finalizedHeight, held)),
  };
}

function prepare(options: EvmWatcherOptions): Watched {
  const rules = chainRules[options.chain];
  const contract = address.parse(options.usdtContract);
  const nodes = options.urls.map((url) => createEvmNode(url, options.timeoutMs));
  const readers = new Map(nodes.map((node) => [node, createTransferReader(node, contract)]));
  return {
    rules,
    nodes,
    contract,
    hasNativeCoin: rules.hasNativeCoin,
    fundingAddresses: new Set(options.fundingAddresses?.map((one) => address.parse(one))),
    headAgeMaxMs: options.headAgeMaxMs ?? rules.headAgeMaxMs,
    now: options.now ?? (() => new Date()),
    transferReaderFor: (node) => readers.get(node)!,
  };
}

const toReading = (watched: Watched, nodes: readonly EvmNode[], signal: AbortSignal): Reading => ({
  ...watched,
  nodes,
  signal,
  headerAt: (height) => agreedHeader(nodes, height, signal),
});

async function readHead({ rules, now, headAgeMaxMs }: Watched, node: EvmNode, signal: AbortSignal): Promise<EvmHead> {
  const { name } = node.rpc;
  const chainId = await node.chainId(signal);
  if (chainId !== rules.chainId) {
    throw new ChainUnavailable('INVALID_RESPONSE', `${name} serves chain ${chainId}, not ${rules.chainId}`);
  }
  const [latest, safe, finalized] = await Promise.all(
    (['latest', 'safe', 'finalized'] as const).map((tag) => node.header(tag, signal)),
  );
  if (!latest || !safe || !finalized) {
    throw new ChainUnavailable('LAGGING', `${name} has no ${latest ? 'finalized' : 'latest'} block`);
  }
  const ageMs = now().getTime() - latest.timestamp.getTime();
  if (ageMs > headAgeMaxMs) {
    throw new ChainUnavailable('LAGGING', `${name} lags: its newest block is ${Math.round(ageMs / 1000)} seconds old`);
  }
  return { latest, safeHeight: safe.number, finalizedHeight: finalized.number };
}

async function openChain(
  watched: Watched,
  sources: readonly Probed<EvmNode, EvmHead>[],
  signal: AbortSignal,
): Promise<Chain> {
  const nodes = sources.map(({ node }) => node);
  const reading = toReading(watched, nodes, signal);
  const least = (read: (head: EvmHead) => number) => Math.min(...sources.map(({ head }) => read(head)));
  const latestHeight = least(({ latest }) => latest.number);
  const { number, hash, timestamp } = await reading.headerAt(Math.max(0, latestHeight - BLOCKS_BEHIND_HEAD));
  const finalMax = Math.max(0, latestHeight - watched.rules.finalityDepth);
  const head = {
    height: number,
    hash,
    time: timestamp,
    safeHeight: Math.min(
      least((head) => head.safeHeight),
      finalMax,
      number,
    ),
    finalizedHeight: Math.min(
      least((head) => head.finalizedHeight),
      finalMax,
      number,
    ),
  };
  return { head, reading };
}

async function pollChain(
  chain: Chain,
  cursor: string | null,
  addresses: ReadonlySet<string>,
  blocksMax: number,
): Promise<Poll> {
  if (cursor === null) return toPoll(chain, await firstCheckpoints(chain), [], []);
  const ours = new Map([...addresses].map((one) => [one.toLowerCase(), one]));
  const { kept, orphanedBlockHashes } = await findFork(chain, readCursor(cursor));
  const final = await readFinal(chain, kept, ours, blocksMax);
  const recent = await readRecent(chain, final.checkpoints, ours, blocksMax);
  return toPoll(chain, recent.checkpoints, [...final.payments, ...recent.payments], orphanedBlockHashes);
}

async function isReportedBy(payment: ObservedPayment, reading: Reading): Promise<boolean> {
  const { block } = payment;
  if (!block) return false;
  const ours = new Map([[payment.address.toLowerCase(), payment.address]]);
  const range = { fromHeight: block.height, toHeight: block.height };
  const { payments } = await readFinalPayments(reading, range, ours);
  return payments.some((one) => isSamePayment(one, payment));
}

async function agreedHeader(nodes: readonly EvmNode[], height: number, signal: AbortSignal): Promise<EvmHeader> {
  const read = async (node: EvmNode) => {
    const header = await node.header(height, signal);
    if (header?.number === height) return header;
    throw new ChainUnavailable('LAGGING', `${node.rpc.name} does not have block ${height}`);
  };
  return agree(nodes, `block ${height}`, read, ({ hash }) => hash);
}

/** The first cursor is at the head, with the last final block before it: blocks after that are read again when they are final. */
async function firstCheckpoints({ head, reading }: Chain): Promise<Checkpoint[]> {
  const final = await reading.headerAt(head.finalizedHeight);
  if (final.number === head.height) return [[head.height, head.hash]];
  return [
    [final.number, final.hash],
    [head.height, head.hash],
  ];
}

/** Goes back to the last block that is still in the chain. */
async function findFork({ reading }: Chain, checkpoints: readonly Checkpoint[]) {
  const kept = [...checkpoints];
  const orphanedBlockHashes: string[] = [];
  for (;;) {
    const [height, hash] = kept.at(-1)!;
    if ((await reading.headerAt(height)).hash === hash) return { kept, orphanedBlockHashes };
    orphanedBlockHashes.push(hash);
    kept.pop();
    if (kept.length === 0) {
      throw new ChainUnavailable('DEEP_REORGANISATION', `the final block ${height} has left the chain`);
    }
  }
}

/** Reads blocks again once they are final, because nodes may miss logs near the head, and compares balances. */
async function readFinal(
  { head, reading }: Chain,
  checkpoints: readonly Checkpoint[],
  ours: ReadonlyMap<string, string>,
  blocksMax: number,
) {
  const [first] = checkpoints;
  const fromHeight = first![0] + 1;
  const toHeight = Math.min(head.finalizedHeight, first![0] + blocksMax);
  if (toHeight < fromHeight) return { checkpoints, payments: [] };
  const { payments, last } = await readFinalPayments(reading, { fromHeight, toHeight }, ours);
  const later = checkpoints.filter(([height]) => height > toHeight);
  return { checkpoints: [[toHeight, last.hash] as const, ...later], payments };
}

/** Reads blocks that are not final yet. */
async function readRecent(
  { head, reading }: Chain,
  checkpoints: readonly Checkpoint[],
  ours: ReadonlyMap<string, string>,
  blocksMax: number,
) {
  const [finalHeight] = checkpoints[0]!;
  const [scannedHeight] = checkpoints.at(-1)!;
  // While it catches up, each block is read once, as final.
  const isCatchingUp = finalHeight < head.finalizedHeight;
  const toHeight = Math.min(head.height, scannedHeight + blocksMax);
  if (isCatchingUp || toHeight <= scannedHeight) return { checkpoints, payments: [] };
  const { payments, last } = await readPayments(reading, { fromHeight: scannedHeight + 1, toHeight }, ours);
  const added = new Map(payments.map(({ block }) => [block!.height, block!.hash]));
  added.set(toHeight, last.hash);
  const result = [...checkpoints, ...[...added].sort(([a], [b]) => a - b)];
  if (result.length <= CHECKPOINTS_MAX) return { checkpoints: result, payments };
  throw new ChainUnavailable('LAGGING', `no block after ${finalHeight} has become final`);
}

function toPoll(
  { head }: Chain,
  checkpoints: readonly Checkpoint[],
  payments: readonly ObservedPayment[],
  orphanedBlockHashes: readonly string[],
): Poll {
  return {
    cursor: writeCursor(checkpoints),
    payments,
    orphanedBlockHashes,
    pooledTransactionIds: undefined,
    // Blocks that were not read again after they became final do not count as final yet.
    head: { ...head, finalizedHeight: Math.min(head.finalizedHeight, checkpoints[0]![0]) },
    scannedHeight: checkpoints.at(-1)![0],
    clockErrorMs: CLOCK_ERROR_MS,
  };
}

function isSamePayment(a: ObservedPayment, b: ObservedPayment): boolean {
  return (
    a.asset === b.asset &&
    a.transactionId === b.transactionId &&
    a.output === b.output &&
    a.address === b.address &&
    a.units === b.units &&
    a.block?.hash === b.block?.hash
  );
}

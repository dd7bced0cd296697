/** Watches Bitcoin and Litecoin through nodes of the operator, which may be pruned. Rules: docs/chains.md. */
import { z } from 'zod';
import type { UtxoRules } from './chain.ts';
import { type ChainWith, descriptors } from './descriptors.ts';
import { createFurtherLook } from './further-sources.ts';
import type { TransportLimits } from './http-transport.ts';
import { createMemoryPoolReader, type MemoryPool, type PooledOutput, readPooledOutputs } from './memory-pool.ts';
import { confirmBySources, createSources, type Probed } from './sources.ts';
import {
  agreedHash,
  type Checkpoint,
  findFork,
  findOutputs,
  readForward,
  type Scripts,
  type UtxoBlock,
  type UtxoHead,
} from './utxo-blocks.ts';
import { BALANCE_LIMITS, readUnspent } from './utxo-balances.ts';
import { checkUtxoSource } from './utxo-check.ts';
import { createUtxoNode, type UtxoNode, witnessScript } from './utxo-node.ts';
import { ChainUnavailable, type ChainWatcher, type ObservedPayment, type Poll } from './watcher.ts';

export interface UtxoWatcherOptions extends TransportLimits {
  chain: ChainWith<'utxo'>;
  /** URLs of the nodes' JSON-RPC, with user and password. If there are two nodes, they must agree. */
  urls: readonly string[];
  /** Another network than the main one. */
  network?: UtxoNetwork;
  headAgeMaxMs?: number;
  now?: () => Date;
}

type UtxoNetwork = Pick<UtxoRules, 'genesisHash' | 'addressPrefix'>;

const BLOCKS_REMEMBERED = 300;
/** Sources may have different newest blocks for a while. */
const CONFIRMATIONS_AGREED = 6;
/** A node that knows more headers than blocks by this number is still downloading. */
const BLOCKS_MISSING_MAX = 2;
/** Six hours without a block of Bitcoin happen once in thousands of years. */
const HEAD_AGE_MAX_MS = 6 * 3_600_000;
/** Miners choose the time of a block: at most two hours ahead, and after the median of 11 blocks, which is about an hour behind. */
const CLOCK_ERROR_MS = 2 * 3_600_000;

/** Ascending and without gaps; the last one is the last block that was read. */
const cursorSchema = z.object({
  blocks: z
    .array(z.tuple([z.number().int(), z.string()]))
    .min(1)
    .max(BLOCKS_REMEMBERED),
});

interface NodeHead extends UtxoHead {
  time: Date;
}

/** The settings of a watcher, with defaults, and its nodes. */
interface Watched {
  chain: UtxoWatcherOptions['chain'];
  network: UtxoNetwork;
  nodes: readonly UtxoNode[];
  headAgeMaxMs: number;
  now: () => Date;
  poolReaderFor: (node: UtxoNode) => (signal: AbortSignal) => Promise<MemoryPool>;
  lookFurther: ReturnType<typeof createFurtherLook>;
}

export function createUtxoWatcher(options: UtxoWatcherOptions): ChainWatcher {
  const { utxo } = descriptors[options.chain];
  const { network = utxo, headAgeMaxMs = HEAD_AGE_MAX_MS, now = () => new Date() } = options;
  const nodes = options.urls.map((url) => createUtxoNode(url, options));
  const poolReaders = new Map(nodes.map((node) => [node, createMemoryPoolReader(node)]));
  const poolReaderFor = (node: UtxoNode) => poolReaders.get(node)!;
  const lookFurther = createFurtherLook();
  const watched = { chain: options.chain, network, nodes, headAgeMaxMs, now, poolReaderFor, lookFurther };
  const scriptsFor = createScriptCache(network.addressPrefix);
  const sources = createSources(nodes, ({ height }: NodeHead) => ({ 'newest block': height }));
  const probeWith = (signal: AbortSignal) => (node: UtxoNode) => readHead(watched, node, signal);
  return {
    poll: async (cursor, addresses, signal) => {
      const scripts = scriptsFor(addresses);
      return sources.poll(probeWith(signal), (used) => pollNodes(watched, used, cursor, scripts, signal));
    },
    confirm: (payment, signal) => {
      const scripts = new Map([[witnessScript(payment.address, network.addressPrefix), payment.address]]);
      return confirmBySources(nodes, (node) => isReportedBy(watched, node, payment, scripts, signal));
    },
    balanceLimits: BALANCE_LIMITS,
    balances: (_asset, addresses, signal) => {
      const scripts = new Map(addresses.map((one) => [witnessScript(one, network.addressPrefix), one]));
      return sources.use(probeWith(signal), ([source]) => readUnspent(source!.node, scripts, signal));
    },
    cursorAt: (height, signal) =>
      sources.use(probeWith(signal), async (used) => {
        const agreeing = used.map(({ node }) => node);
        return writeCursor([[height, await agreedHash(agreeing, height, signal)]]);
      }),
    check: async (signal) => {
      const checks = nodes.map((node) => checkUtxoSource(node, () => readHead(watched, node, signal), signal));
      return (await Promise.all(checks)).flat();
    },
    // The wallet itself finds its coins and chooses the fee.
    describeHoldings: (held) =>
      Promise.resolve({ chain: options.chain, addresses: held.map((one) => ({ ...one, notes: [] })) }),
  };
}

/** Decodes each address once, as long as it is watched. */
function createScriptCache(addressPrefix: string) {
  let known = new Map<string, string>();
  return (addresses: ReadonlySet<string>): Scripts => {
    const scripts = new Map<string, string>();
    for (const address of addresses) scripts.set(address, known.get(address) ?? witnessScript(address, addressPrefix));
    known = scripts;
    return new Map([...scripts].map(([address, script]) => [script, address]));
  };
}

async function readHead(
  { chain, network, headAgeMaxMs, now }: Watched,
  node: UtxoNode,
  signal: AbortSignal,
): Promise<NodeHead> {
  const { name } = node.rpc;
  if ((await node.hashAt(0, signal)) !== network.genesisHash) {
    throw new ChainUnavailable('INVALID_RESPONSE', `${name} serves another chain than ${chain}`);
  }
  const { blocks, headers, bestblockhash, initialblockdownload } = await node.info(signal);
  if (initialblockdownload || headers - blocks > BLOCKS_MISSING_MAX) {
    throw new ChainUnavailable('LAGGING', `${name} has downloaded ${blocks} of ${headers} blocks`);
  }
  const { time } = await node.header(bestblockhash, signal);
  if (now().getTime() - time.getTime() > headAgeMaxMs) {
    throw new ChainUnavailable('LAGGING', `${name} lags: its newest block is of ${time.toISOString()}`);
  }
  return { height: blocks, hash: bestblockhash, time };
}

async function pollNodes(
  watched: Watched,
  sources: readonly Probed<UtxoNode, NodeHead>[],
  cursor: string | null,
  scripts: Scripts,
  signal: AbortSignal,
): Promise<Poll> {
  const [lowest, ...others] = sources.toSorted((a, b) => a.head.height - b.head.height);
  const { node, head } = lowest!;
  const nodes = [node, ...others.map(({ node }) => node)] as const;
  if ((await agreedHash(nodes, head.height, signal)) !== head.hash) throw chainChanged(node, head.height);
  const stored = cursor === null ? [[head.height, head.hash] as const] : readCursor(cursor);
  const { kept, orphanedBlockHashes } = await findFork(nodes, head, stored, signal);
  const blocks = await readForward(nodes, head, kept.at(-1)!, signal);
  const checkpoints = [...kept, ...blocks.map(({ height, hash }) => [height, hash] as const)];
  const [scannedHeight, scannedHash] = checkpoints.at(-1)!;
  const included = blocks.flatMap((block) => findPayments(watched, block, scripts));
  const further = await askFurther(watched, nodes, checkpoints, signal);
  const pool = await readPool(watched, nodes, scannedHash, scripts, signal);
  return {
    cursor: writeCursor(checkpoints.slice(-BLOCKS_REMEMBERED)),
    payments: [...included, ...pool.payments],
    orphanedBlockHashes,
    pooledTransactionIds: pool.transactionIds,
    head: { ...head, safeHeight: undefined, finalizedHeight: undefined },
    scannedHeight,
    clockErrorMs: CLOCK_ERROR_MS,
    warnings: further.warnings,
  };
}

/** Blocks prove themselves, so that sources can only differ about which chain they are of. */
function askFurther(
  { nodes, lookFurther }: Watched,
  used: readonly UtxoNode[],
  checkpoints: readonly Checkpoint[],
  signal: AbortSignal,
) {
  const [height, hash] = checkpoints.at(-CONFIRMATIONS_AGREED) ?? checkpoints[0]!;
  return lookFurther<UtxoNode, never>({
    nodes,
    used: used.slice(0, 1),
    askedHeight: height - 1,
    settledHeight: height,
    blocksMax: Infinity,
    async read([, node]) {
      if ((await node!.hashAt(height, signal)) === hash) return [];
      throw new ChainUnavailable('DISAGREEING', `${node!.transport.name} has another block ${height} than the others`);
    },
  });
}

/** Reads the pool after the last scanned block: if it was read before, a transaction could be in neither. */
async function readPool(
  { chain, now, poolReaderFor }: Watched,
  [node, ...others]: readonly [UtxoNode, ...UtxoNode[]],
  scannedHash: string,
  scripts: Scripts,
  signal: AbortSignal,
) {
  if ((await node.bestHash(signal)) !== scannedHash) return { payments: [], transactionIds: undefined };
  const { isComplete, transactions } = await poolReaderFor(node)(signal);
  const asset = assetOf(chain);
  const payments: ObservedPayment[] = [];
  const present = new Set<string>();
  for (const [transactionId, outputs] of transactions) {
    const ours = outputs.filter(({ script, units }) => scripts.has(script) && units > 0n);
    if (ours.length === 0) continue;
    present.add(transactionId);
    for (const { script, ...output } of await keepKnown(others, transactionId, ours, signal))
      payments.push({
        asset,
        transactionId,
        address: scripts.get(script)!,
        ...output,
        block: undefined,
        arrivedAt: now(),
      });
  }
  // A block that arrived in the meantime has taken transactions out of the pool.
  const isCurrent = isComplete && (await node.bestHash(signal)) === scannedHash;
  return { payments, transactionIds: isCurrent ? [...present] : undefined };
}

/** The outputs that the other sources have in their pools, too: one source could invent a payment, to fix the time of its arrival. */
async function keepKnown(
  others: readonly UtxoNode[],
  transactionId: string,
  outputs: readonly PooledOutput[],
  signal: AbortSignal,
): Promise<readonly PooledOutput[]> {
  let kept = outputs;
  for (const other of others) {
    const known = await readPooledOutputs(other, transactionId, signal);
    const isKnown = ({ output, script, units }: PooledOutput) =>
      known.some((one) => one.output === output && one.script === script && one.units === units);
    kept = kept.filter(isKnown);
  }
  return kept;
}

function findPayments(
  { chain, now }: Watched,
  { height, hash, time, transactions }: UtxoBlock,
  scripts: Scripts,
): ObservedPayment[] {
  const block = { height, hash, time };
  const asset = assetOf(chain);
  const arrivedAt = new Date(Math.min(time.getTime(), now().getTime()));
  return transactions.flatMap((transaction) =>
    findOutputs(transaction, scripts).map((output) => Object.assign(output, { asset, block, arrivedAt })),
  );
}

async function isReportedBy(
  watched: Watched,
  node: UtxoNode,
  { block, transactionId, output, units }: ObservedPayment,
  scripts: Scripts,
  signal: AbortSignal,
): Promise<boolean> {
  if (!block || (await node.hashAt(block.height, signal)) !== block.hash) return false;
  const payments = findPayments(watched, { ...block, ...(await node.block(block.hash, signal)) }, scripts);
  return payments.some((one) => one.transactionId === transactionId && one.output === output && one.units === units);
}

const assetOf = (chain: ChainWith<'utxo'>): string => Object.keys(descriptors[chain].currencies)[0]!;

const writeCursor = (blocks: readonly Checkpoint[]): string => JSON.stringify({ blocks });
const readCursor = (cursor: string): Checkpoint[] => cursorSchema.parse(JSON.parse(cursor)).blocks;

const chainChanged = (node: UtxoNode, height: number) =>
  new ChainUnavailable('DISAGREEING', `${node.transport.name} changed its chain at block ${height}`);

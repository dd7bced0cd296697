/** Watches Bitcoin and Litecoin through nodes of the operator, which may be pruned. Rules: docs/chains.md. */
import { z } from 'zod';
import { createMemoryPoolReader, type MemoryPool } from './memory-pool.ts';
import { agree, confirmBySources, type Probed, useSources } from './sources.ts';
import { createUtxoNode, type UtxoBlock, type UtxoNode, type UtxoTransaction, witnessScript } from './utxo-node.ts';
import { ChainUnavailable, type ChainWatcher, type ObservedPayment, type Poll } from './watcher.ts';

export interface UtxoWatcherOptions {
  chain: keyof typeof mainNetworks;
  /** URLs of the nodes' JSON-RPC, with user and password. If there are two nodes, they must agree. */
  urls: readonly string[];
  /** Another network than the main one. */
  network?: UtxoNetwork;
  headAgeMaxMs?: number;
  timeoutMs?: number;
  now?: () => Date;
}

interface UtxoNetwork {
  /** The hash of block 0 proves which chain a node serves. */
  genesisHash: string;
  addressPrefix: string;
}

const mainNetworks = {
  bitcoin: {
    genesisHash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
    addressPrefix: 'bc',
  },
  litecoin: {
    genesisHash: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2',
    addressPrefix: 'ltc',
  },
} as const satisfies Record<string, UtxoNetwork>;

const BLOCKS_PER_POLL = 50;
const BLOCKS_REMEMBERED = 300;
/** A node that knows more headers than blocks by this number is still downloading. */
const BLOCKS_MISSING_MAX = 2;
/** Six hours without a block of Bitcoin happen once in thousands of years. */
const HEAD_AGE_MAX_MS = 6 * 3_600_000;
/** Miners choose the time of a block: at most two hours ahead, and after the median of 11 blocks, which is about an hour behind. */
const CLOCK_ERROR_MS = 2 * 3_600_000;
const COINBASE_CONFIRMATIONS = 100;
/** The network may reject a peg-out from MWEB with its whole block, as it did in a reorganisation of 13 blocks. */
const PEG_OUT_CONFIRMATIONS = 24;
/** The script of the first output of the transaction that ends a block with MWEB: coins inside. The other outputs are peg-outs. */
const MWEB_SCRIPT = '5820';

type Checkpoint = readonly [height: number, hash: string];

/** Ascending and without gaps; the last one is the last block that was read. */
const cursorSchema = z.object({
  blocks: z
    .array(z.tuple([z.number().int(), z.string()]))
    .min(1)
    .max(BLOCKS_REMEMBERED),
});

/** Script to address. */
type Scripts = ReadonlyMap<string, string>;

interface NodeHead {
  height: number;
  hash: string;
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
}

export function createUtxoWatcher(options: UtxoWatcherOptions): ChainWatcher {
  const { network = mainNetworks[options.chain], headAgeMaxMs = HEAD_AGE_MAX_MS, now = () => new Date() } = options;
  const nodes = options.urls.map((url) => createUtxoNode(url, options.timeoutMs));
  const poolReaders = new Map(nodes.map((node) => [node, createMemoryPoolReader(node)]));
  const poolReaderFor = (node: UtxoNode) => poolReaders.get(node)!;
  const watched = { chain: options.chain, network, nodes, headAgeMaxMs, now, poolReaderFor };
  const scriptsFor = createScriptCache(network.addressPrefix);
  return {
    poll: async (cursor, addresses, signal) => {
      const scripts = scriptsFor(addresses);
      const probe = (node: UtxoNode) => readHead(watched, node, signal);
      return useSources(nodes, probe, (sources) => pollNodes(watched, sources, cursor, scripts, signal));
    },
    confirm: (payment, signal) => {
      const scripts = new Map([[witnessScript(payment.address, network.addressPrefix), payment.address]]);
      return confirmBySources(nodes, (node) => isReportedBy(watched, node, payment, scripts, signal));
    },
    balances: (_asset, addresses, signal) => {
      const probe = (node: UtxoNode) => readHead(watched, node, signal);
      const scripts = new Map(addresses.map((one) => [witnessScript(one, network.addressPrefix), one]));
      return useSources(nodes, probe, ([source]) => readUnspent(source!.node, scripts, signal));
    },
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
  const { node, head } = sources.reduce((a, b) => (b.head.height < a.head.height ? b : a));
  const nodes = sources.map(({ node }) => node);
  await agree(nodes, `block ${head.height}`, (node) => node.hashAt(head.height, signal), String);
  const stored = cursor === null ? [[head.height, head.hash] as const] : readCursor(cursor);
  const { kept, orphanedBlockHashes } = await findFork(node, head, stored, signal);
  const blocks = await readForward(node, head, kept.at(-1)!, signal);
  const checkpoints = [...kept, ...blocks.map(({ height, hash }) => [height, hash] as const)];
  const [scannedHeight, scannedHash] = checkpoints.at(-1)!;
  const included = blocks.flatMap((block) => findPayments(watched, block, scripts));
  const pool = await readPool(watched, node, scannedHash, scripts, signal);
  return {
    cursor: JSON.stringify({ blocks: checkpoints.slice(-BLOCKS_REMEMBERED) }),
    payments: [...included, ...pool.payments],
    orphanedBlockHashes,
    pooledTransactionIds: pool.transactionIds,
    head: { ...head, safeHeight: undefined, finalizedHeight: undefined },
    scannedHeight,
    clockErrorMs: CLOCK_ERROR_MS,
  };
}

/** Reads the pool after the last scanned block: if it was read before, a transaction could be in neither. */
async function readPool(
  { chain, now, poolReaderFor }: Watched,
  node: UtxoNode,
  scannedHash: string,
  scripts: Scripts,
  signal: AbortSignal,
) {
  if ((await node.bestHash(signal)) !== scannedHash) return { payments: [], transactionIds: undefined };
  const { isComplete, transactions } = await poolReaderFor(node)(signal);
  const payments: ObservedPayment[] = [];
  for (const [transactionId, outputs] of transactions) {
    for (const { script, ...output } of outputs) {
      const address = scripts.get(script);
      if (address === undefined || output.units === 0n) continue;
      const asset = assets[chain];
      payments.push({ asset, transactionId, address, ...output, block: undefined, arrivedAt: now() });
    }
  }
  // A block that arrived in the meantime has taken transactions out of the pool.
  const isCurrent = isComplete && (await node.bestHash(signal)) === scannedHash;
  const transactionIds = isCurrent ? [...new Set(payments.map((payment) => payment.transactionId))] : undefined;
  return { payments, transactionIds };
}

function findPayments(
  { chain, now }: Watched,
  { height, hash, time, tx }: UtxoBlock,
  scripts: Scripts,
): ObservedPayment[] {
  const block = { height, hash, time };
  const asset = assets[chain];
  const arrivedAt = new Date(Math.min(time.getTime(), now().getTime()));
  return tx.flatMap((transaction) =>
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
  const payments = findPayments(watched, await node.block(block.hash, signal), scripts);
  return payments.some((one) => one.transactionId === transactionId && one.output === output && one.units === units);
}

async function readUnspent(node: UtxoNode, scripts: Scripts, signal: AbortSignal): Promise<Map<string, bigint>> {
  const { success, unspents } = await node.unspent([...scripts.keys()], signal);
  if (!success) throw new ChainUnavailable('DOWN', `${node.rpc.name} did not finish its scan`);
  const balances = new Map([...scripts.values()].map((address) => [address, 0n]));
  for (const { scriptPubKey, amount } of unspents) {
    const address = scripts.get(scriptPubKey);
    if (address !== undefined) balances.set(address, balances.get(address)! + amount);
  }
  return balances;
}

const assets = { bitcoin: 'BTC', litecoin: 'LTC' } as const;

const readCursor = (cursor: string): Checkpoint[] => cursorSchema.parse(JSON.parse(cursor)).blocks;

/** Goes back to the last block that is still in the chain. */
async function findFork(node: UtxoNode, head: NodeHead, stored: readonly Checkpoint[], signal: AbortSignal) {
  const kept = [...stored];
  const orphanedBlockHashes: string[] = [];
  for (let last = kept.at(-1); last; last = kept.at(-1)) {
    const [height, hash] = last;
    // The new chain has fewer blocks, but more work.
    if (height <= head.height && (await node.hashAt(height, signal)) === hash) return { kept, orphanedBlockHashes };
    orphanedBlockHashes.push(hash);
    kept.pop();
  }
  throw new ChainUnavailable('DEEP_REORGANISATION', `the last ${stored.length} blocks have left the chain`);
}

async function readForward(node: UtxoNode, head: NodeHead, [height, hash]: Checkpoint, signal: AbortSignal) {
  const blocks: UtxoBlock[] = [];
  const lastHeight = Math.min(head.height, height + BLOCKS_PER_POLL);
  for (let next = height + 1, previous = hash; next <= lastHeight; next += 1) {
    const block = await node.block(await node.hashAt(next, signal), signal);
    if (block.previousblockhash !== previous || block.height !== next) {
      throw new ChainUnavailable('DISAGREEING', `${node.rpc.name} changed its chain at block ${next}`);
    }
    blocks.push(block);
    previous = block.hash;
  }
  return blocks;
}

function findOutputs(transaction: UtxoTransaction, scripts: Scripts) {
  const { txid: transactionId, vin, vout } = transaction;
  const confirmationsMin = vin.some(({ coinbase }) => typeof coinbase === 'string')
    ? COINBASE_CONFIRMATIONS
    : vout[0]?.scriptPubKey.hex.startsWith(MWEB_SCRIPT)
      ? PEG_OUT_CONFIRMATIONS
      : undefined;
  return vout.flatMap((output) => {
    const address = output && scripts.get(output.scriptPubKey.hex);
    if (address === undefined || output!.value === 0n) return [];
    const payment = { transactionId, output: output!.n, address, units: output!.value };
    return [confirmationsMin === undefined ? payment : { ...payment, confirmationsMin }];
  });
}

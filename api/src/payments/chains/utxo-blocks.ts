/** The blocks after a cursor, on a chain that all sources agree on. */
import type { RawBlock, RawTransaction } from './raw-block.ts';
import { agree, readFromAny } from './sources.ts';
import type { UtxoNode } from './utxo-node.ts';
import { ChainUnavailable } from './watcher.ts';

export type Checkpoint = readonly [height: number, hash: string];

export interface UtxoHead {
  height: number;
  hash: string;
}

export interface UtxoBlock extends RawBlock {
  height: number;
  hash: string;
}

/** Script to address. */
export type Scripts = ReadonlyMap<string, string>;

const BLOCKS_PER_POLL = 50;
const COINBASE_CONFIRMATIONS = 100;
/** The network may reject a peg-out from MWEB with its whole block, as it did in a reorganisation of 13 blocks. */
const PEG_OUT_CONFIRMATIONS = 24;

export function agreedHash(nodes: readonly UtxoNode[], height: number, signal: AbortSignal): Promise<string> {
  return agree(nodes, `block ${height}`, (node) => node.hashAt(height, signal), String);
}

/**
 * Goes back to the last block that is still in the chain.
 * @param stored ascending and without gaps
 */
export async function findFork(
  nodes: readonly UtxoNode[],
  head: UtxoHead,
  stored: readonly Checkpoint[],
  signal: AbortSignal,
) {
  requireProgress(head, stored);
  const kept = [...stored];
  const orphanedBlockHashes: string[] = [];
  for (let last = kept.at(-1); last; last = kept.at(-1)) {
    const [height, hash] = last;
    if (height <= head.height && (await agreedHash(nodes, height, signal)) === hash)
      return { kept, orphanedBlockHashes };
    orphanedBlockHashes.push(hash);
    kept.pop();
  }
  throw new ChainUnavailable('DEEP_REORGANISATION', `the last ${stored.length} blocks have left the chain`);
}

/** A head below the last block is one of a node that lags, unless it belongs to another chain, which has fewer blocks but more work. */
function requireProgress({ height, hash }: UtxoHead, stored: readonly Checkpoint[]): void {
  const [lastHeight] = stored.at(-1)!;
  if (height >= lastHeight) return;
  const known = stored.find((checkpoint) => checkpoint[0] === height);
  if (known && known[1] !== hash) return;
  throw new ChainUnavailable('LAGGING', `a node has block ${height}, but block ${lastHeight} was read already`);
}

/** Each block proves itself and names the one before it, up to one whose hash all sources report. */
export async function readForward(
  nodes: readonly UtxoNode[],
  head: UtxoHead,
  [height, hash]: Checkpoint,
  signal: AbortSignal,
): Promise<UtxoBlock[]> {
  const [first] = nodes;
  const blocks: UtxoBlock[] = [];
  const lastHeight = Math.min(head.height, height + BLOCKS_PER_POLL);
  const lastHash = lastHeight === height ? hash : await agreedHash(nodes, lastHeight, signal);
  let previousHash = hash;
  for (let next = height + 1; next <= lastHeight; next += 1) {
    const nextHash = next === lastHeight ? lastHash : await first!.hashAt(next, signal);
    const block = await readFromAny(nodes, (node) => node.block(nextHash, signal));
    if (block.previousHash !== previousHash) {
      throw new ChainUnavailable('DISAGREEING', `${first!.transport.name} changed its chain at block ${next}`);
    }
    blocks.push({ ...block, height: next, hash: nextHash });
    previousHash = nextHash;
  }
  return blocks;
}

export function findOutputs(
  { id: transactionId, isCoinbase, endsMweb, witnessOutputs }: RawTransaction,
  scripts: Scripts,
) {
  const confirmationsMin = isCoinbase ? COINBASE_CONFIRMATIONS : endsMweb ? PEG_OUT_CONFIRMATIONS : undefined;
  return witnessOutputs.flatMap(({ script, output, units }) => {
    const address = scripts.get(script);
    if (address === undefined || units === 0n) return [];
    const payment = { transactionId, output, address, units };
    return [confirmationsMin === undefined ? payment : { ...payment, confirmationsMin }];
  });
}

/**
 * The native coin arrives in transactions, which blocks show, and from inside contracts (smart wallets, exchanges), which they do not.
 * So balances decide: an increase that transactions do not explain is reported as a separate payment.
 */
import type { EvmBlock, EvmNode, EvmReceipt, EvmTransaction } from './evm-node.ts';
import { readBalances } from './multicall.ts';
import { agree } from './sources.ts';
import { ChainUnavailable } from './watcher.ts';

/** A successful or failed transaction from or to one of our addresses. */
export interface NativeTransaction {
  block: EvmBlock;
  transaction: EvmTransaction;
  receipt: EvmReceipt;
}

export interface UnexplainedReceipt {
  height: number;
  recipient: string;
  units: bigint;
}

/** The balance grew by `units` in a block for which the explained changes are not enough. */
interface Change {
  owner: string;
  fromHeight: number;
  toHeight: number;
  before: bigint;
  after: bigint;
}

/**
 * @param range balances after `fromHeight` are compared with those after `toHeight`; both are final
 * @param transactions all of the range's blocks that concern the owners
 * @throws ChainUnavailable PRUNED if no state of `fromHeight` is left
 */
export async function findUnexplained(
  nodes: readonly EvmNode[],
  { fromHeight, toHeight }: { fromHeight: number; toHeight: number },
  owners: ReadonlySet<string>,
  transactions: readonly NativeTransaction[],
  signal: AbortSignal,
): Promise<UnexplainedReceipt[]> {
  const list = [...owners];
  const balancesAt = (height: number) =>
    agree(
      nodes,
      `balances after block ${height}`,
      (node) => readBalances(node, undefined, list, height, signal),
      (balances) => list.map((owner) => balances.get(owner)).join(),
    );
  const before = await balancesAt(fromHeight);
  const after = await balancesAt(toHeight);
  const found: UnexplainedReceipt[] = [];
  for (const owner of list) {
    const change = { owner, fromHeight, toHeight, before: before.get(owner)!, after: after.get(owner)! };
    found.push(...(await explain(nodes, change, transactions, signal)));
  }
  return found;
}

/** Halves the range until it is one block, so that the result does not depend on the range. */
async function explain(
  nodes: readonly EvmNode[],
  change: Change,
  transactions: readonly NativeTransaction[],
  signal: AbortSignal,
): Promise<UnexplainedReceipt[]> {
  const { owner, fromHeight, toHeight, before, after } = change;
  const isInRange = ({ block }: NativeTransaction) => block.number > fromHeight && block.number <= toHeight;
  const explaining = transactions.filter(isInRange);
  const units = after - before - explaining.reduce((sum, one) => sum + changeBy(one, owner), 0n);
  if (units === 0n) return [];
  // Less than explained: an account with code has sent coins by itself.
  if (toHeight - fromHeight === 1) return units > 0n ? [{ height: toHeight, recipient: owner, units }] : [];
  const middle = Math.floor((fromHeight + toHeight) / 2);
  const between = await agree(
    nodes,
    `the balance of ${owner} after block ${middle}`,
    (node) => node.balance(owner, middle, signal),
    String,
  );
  const first = await explain(nodes, { ...change, toHeight: middle, after: between }, explaining, signal);
  const second = await explain(nodes, { ...change, fromHeight: middle, before: between }, explaining, signal);
  return [...first, ...second];
}

/** The change of the owner's balance by a transaction. Failed ones cost only their fee. */
function changeBy({ transaction, receipt }: NativeTransaction, owner: string): bigint {
  const sent = receipt.status === 1n ? transaction.value : 0n;
  const received = transaction.to === owner ? sent : 0n;
  if (transaction.from !== owner) return received;
  const blobFee = (receipt.blobGasUsed ?? 0n) * (receipt.blobGasPrice ?? 0n);
  return received - sent - receipt.gasUsed * receipt.effectiveGasPrice - blobFee;
}

/**
 * Blocks with their transactions, each one the parent of the next.
 * @param concurrency requests at the same time
 */
export async function readBlocks(
  node: EvmNode,
  { fromHeight, toHeight, concurrency }: { fromHeight: number; toHeight: number; concurrency: number },
  signal: AbortSignal,
): Promise<EvmBlock[]> {
  const blocks: EvmBlock[] = [];
  for (let height = fromHeight; height <= toHeight; height += concurrency) {
    const count = Math.min(concurrency, toHeight - height + 1);
    const read = await Promise.all(Array.from({ length: count }, (_, index) => node.block(height + index, signal)));
    for (const [index, block] of read.entries()) {
      if (block?.number !== height + index) {
        throw new ChainUnavailable('LAGGING', `${node.rpc.name} does not have block ${height + index}`);
      }
      const parent = blocks.at(-1);
      if (parent && block.parentHash !== parent.hash) {
        throw new ChainUnavailable('DISAGREEING', `${node.rpc.name} changed its chain at block ${block.number}`);
      }
      blocks.push(block);
    }
  }
  return blocks;
}

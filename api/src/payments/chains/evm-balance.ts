/**
 * The native coin arrives in transactions, which blocks show, and from inside contracts (smart wallets, exchanges), which they do not.
 * So balances decide: an increase that transactions do not explain is reported as a separate payment.
 */
import type { NativeTransaction } from './evm-transactions.ts';
import type { EvmHeader, EvmNode } from './evm-node.ts';
import { readProvenBalance } from './evm-proof.ts';
import { readBalances } from './multicall.ts';
import { agree, isPruned } from './sources.ts';

export interface UnexplainedReceipt {
  height: number;
  recipient: string;
  units: bigint;
}

/** The sources that have the states of a range, and the balances at its beginning. */
export interface States {
  nodes: readonly EvmNode[];
  before: ReadonlyMap<string, bigint>;
  /** Only one of several sources has them, so that it must prove what it says. */
  needsProof: boolean;
}

interface Search {
  states: States;
  headerAt: (height: number) => Promise<EvmHeader>;
  signal: AbortSignal;
}

/** The balance grew by `units` in a block for which the explained changes are not enough. */
interface Change {
  owner: string;
  fromHeight: number;
  toHeight: number;
  before: bigint;
  after: bigint;
}

/** @returns undefined if no source has the states after this height any more */
export async function openStates(
  nodes: readonly EvmNode[],
  height: number,
  owners: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<States | undefined> {
  const list = [...owners];
  const read = async (node: EvmNode) => {
    try {
      return [{ node, balances: await readBalances(node, undefined, list, height, signal) }];
    } catch (error) {
      if (isPruned(error)) return [];
      throw error;
    }
  };
  const found = (await Promise.all(nodes.map(read))).flat();
  if (found.length === 0) return undefined;
  const having = found.map(({ node }) => node);
  const before = await agree(
    having,
    `balances after block ${height}`,
    async (node) => found[having.indexOf(node)]!.balances,
    (balances) => list.map((owner) => balances.get(owner)).join(),
  );
  return { nodes: having, before, needsProof: having.length < Math.min(nodes.length, 2) };
}

/**
 * @param range balances after `fromHeight` are compared with those after `toHeight`
 * @param transactions all of the range's blocks that concern the owners
 * @returns undefined if a single source says that something has arrived, and does not prove it
 */
export async function findUnexplained(
  search: Search,
  { fromHeight, toHeight }: { fromHeight: number; toHeight: number },
  owners: ReadonlySet<string>,
  transactions: readonly NativeTransaction[],
): Promise<UnexplainedReceipt[] | undefined> {
  const { states, signal } = search;
  const list = [...owners];
  const after = await agree(
    states.nodes,
    `balances after block ${toHeight}`,
    (node) => readBalances(node, undefined, list, toHeight, signal),
    (balances) => list.map((owner) => balances.get(owner)).join(),
  );
  const found: Change[] = [];
  for (const owner of list) {
    const change = { owner, fromHeight, toHeight, before: states.before.get(owner)!, after: after.get(owner)! };
    found.push(...(await explain(search, change, transactions)));
  }
  if (states.needsProof) for (const change of found) if (!(await isProven(search, change))) return undefined;
  return found.map((change) => ({
    height: change.toHeight,
    recipient: change.owner,
    units: unexplainedUnits(change, transactions),
  }));
}

/** Halves the range until it is one block, so that the result does not depend on the range. @returns changes of one block */
async function explain(search: Search, change: Change, transactions: readonly NativeTransaction[]): Promise<Change[]> {
  const { owner, fromHeight, toHeight } = change;
  const units = unexplainedUnits(change, transactions);
  if (units === 0n) return [];
  // Less than explained: an account with code has sent coins by itself.
  if (toHeight - fromHeight === 1) return units > 0n ? [change] : [];
  const middle = Math.floor((fromHeight + toHeight) / 2);
  const between = await agree(
    search.states.nodes,
    `the balance of ${owner} after block ${middle}`,
    (node) => node.balance(owner, middle, search.signal),
    String,
  );
  const first = await explain(search, { ...change, toHeight: middle, after: between }, transactions);
  const second = await explain(search, { ...change, fromHeight: middle, before: between }, transactions);
  return [...first, ...second];
}

function unexplainedUnits(
  { owner, fromHeight, toHeight, before, after }: Change,
  transactions: readonly NativeTransaction[],
): bigint {
  const isInRange = ({ header }: NativeTransaction) => header.number > fromHeight && header.number <= toHeight;
  return after - before - transactions.filter(isInRange).reduce((sum, one) => sum + changeBy(one, owner), 0n);
}

/** The change of the owner's balance by a transaction. Failed ones cost only their fee. */
function changeBy({ transaction, receipt }: NativeTransaction, owner: string): bigint {
  const sent = receipt.status === 1n ? transaction.value : 0n;
  const received = transaction.to === owner ? sent : 0n;
  if (transaction.from !== owner) return received;
  const blobFee = (receipt.blobGasUsed ?? 0n) * (receipt.blobGasPrice ?? 0n);
  return received - sent - receipt.gasUsed * receipt.effectiveGasPrice - blobFee;
}

/** By the roots of the states in the headers, which all sources report. */
async function isProven({ states, headerAt, signal }: Search, change: Change): Promise<boolean> {
  const { owner, fromHeight, toHeight, before, after } = change;
  for (const [height, balance] of [
    [fromHeight, before],
    [toHeight, after],
  ] as const) {
    const { stateRoot } = await headerAt(height);
    const proof = await states.nodes[0]!.accountProof(owner, height, signal);
    if (!proof || readProvenBalance(stateRoot, owner, proof) !== balance) return false;
  }
  return true;
}

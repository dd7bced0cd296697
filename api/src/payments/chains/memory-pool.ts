/** The memory pool of a node: each transaction is read once. A restart forgets them and reads the pool again. */
import { RpcError } from './json-rpc.ts';
import { ignoreTooLarge, isTooLarge } from './refusals.ts';
import type { UtxoNode, UtxoTransaction } from './utxo-node.ts';

/** Bounds one poll. Bitcoin's pool may hold 300,000 transactions, a node returns some 2,000 a second. */
const TRANSACTIONS_PER_READ = 2000;
const CONCURRENCY = 8;
/** Transactions with more outputs are payouts of exchanges; they are examined only in blocks. */
const OUTPUTS_KEPT_MAX = 5000;
/** Inputs with a smaller sequence signal that the transaction may be replaced (BIP 125). */
const SEQUENCE_NOT_REPLACEABLE = 0xfffffffe;

export interface PooledOutput {
  output: number;
  script: string;
  units: bigint;
  isReplaceable: boolean;
}

export interface MemoryPool {
  /** True if every transaction has been read: only then does a missing one prove that it has left. */
  isComplete: boolean;
  transactions: ReadonlyMap<string, readonly PooledOutput[]>;
}

export function createMemoryPoolReader(node: UtxoNode) {
  /** Contains only outputs of the type of our addresses. */
  const known = new Map<string, readonly PooledOutput[]>();

  async function readNew(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const queue = ids.slice(0, TRANSACTIONS_PER_READ).values();
    const readQueue = async () => {
      for (const id of queue) {
        known.set(id, await readPooledOutputs(node, id, signal));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, readQueue));
  }

  return async (signal: AbortSignal): Promise<MemoryPool> => {
    const ids = await node.pooledIds(signal).catch(ignoreTooLarge);
    // Payments are found once they are in a block.
    if (!ids) return { isComplete: false, transactions: new Map() };
    const present = new Set(ids);
    for (const id of known.keys()) if (!present.has(id)) known.delete(id);
    const unread = ids.filter((id) => !known.has(id));
    await readNew(unread, signal);
    return { isComplete: unread.length <= TRANSACTIONS_PER_READ, transactions: known };
  };
}

/** @returns none if the node does not have it, if it has left the pool in the meantime, or if it has more bytes than are read */
export async function readPooledOutputs(node: UtxoNode, id: string, signal: AbortSignal): Promise<PooledOutput[]> {
  try {
    return witnessOutputs(await node.pooledTransaction(id, signal));
  } catch (error) {
    if (error instanceof RpcError || isTooLarge(error)) return [];
    throw error;
  }
}

function witnessOutputs({ vin, vout }: UtxoTransaction): PooledOutput[] {
  if (vout.length > OUTPUTS_KEPT_MAX) return [];
  const isReplaceable = vin.some(({ sequence }) => typeof sequence === 'number' && sequence < SEQUENCE_NOT_REPLACEABLE);
  return vout.flatMap((output) =>
    output?.scriptPubKey.hex.startsWith('0014')
      ? [{ output: output.n, script: output.scriptPubKey.hex, units: output.value, isReplaceable }]
      : [],
  );
}

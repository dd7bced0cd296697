/** What addresses of Bitcoin and Litecoin hold, by a scan of all unspent outputs. */
import type { Scripts } from './utxo-blocks.ts';
import { SCAN_TIMEOUT_MS, type UtxoNode } from './utxo-node.ts';
import { type Balances, ChainUnavailable, type UnspentOutput } from './watcher.ts';

/** A scan reads all unspent outputs of the chain, however many addresses are searched. */
export const BALANCE_LIMITS = { addressesMax: 10_000, timeMs: SCAN_TIMEOUT_MS };
/** Blocks of this depth stay. */
const BALANCE_CONFIRMATIONS = 6;

export async function readUnspent(node: UtxoNode, scripts: Scripts, signal: AbortSignal): Promise<Balances> {
  const scan = await node.unspent([...scripts.keys()], signal);
  if (!scan.success) throw new ChainUnavailable('DOWN', `${node.rpc.name} did not finish its scan`);
  const units = new Map([...scripts.values()].map((address) => [address, 0n]));
  const height = Math.max(0, scan.height - BALANCE_CONFIRMATIONS + 1);
  const outputs: UnspentOutput[] = [];
  for (const { scriptPubKey, amount, txid, vout, height: minedAt } of scan.unspents) {
    const address = scripts.get(scriptPubKey);
    if (address === undefined) continue;
    units.set(address, units.get(address)! + amount);
    if (minedAt <= height) outputs.push({ transactionId: txid, output: vout, address, units: amount, height: minedAt });
  }
  return { height, units, outputs };
}

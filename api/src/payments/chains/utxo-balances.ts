/** What addresses of Bitcoin and Litecoin hold, by a scan of all unspent outputs. */
import { isTooLarge } from './refusals.ts';
import type { Scripts } from './utxo-blocks.ts';
import { SCAN_TIMEOUT_MS, type UtxoNode } from './utxo-node.ts';
import { type Balances, ChainUnavailable, type UnspentOutput } from './watcher.ts';

/** A scan reads all unspent outputs of the chain, however many addresses are searched. */
export const BALANCE_LIMITS = { addressesMax: 10_000, timeMs: SCAN_TIMEOUT_MS };
/** Blocks of this depth stay. */
const BALANCE_CONFIRMATIONS = 6;

/** A stranger may send more outputs to few addresses than one response has. */
export async function readUnspent(node: UtxoNode, scripts: Scripts, signal: AbortSignal): Promise<Balances> {
  try {
    return await readAtOnce(node, scripts, signal);
  } catch (error) {
    if (!isTooLarge(error) || scripts.size === 1) throw error;
    const all = [...scripts];
    const half = Math.ceil(all.length / 2);
    const first = await readUnspent(node, new Map(all.slice(0, half)), signal);
    const second = await readUnspent(node, new Map(all.slice(half)), signal);
    const height = Math.min(first.height, second.height);
    const outputs = [...first.outputs!, ...second.outputs!].filter((output) => output.height <= height);
    return { height, units: new Map([...first.units, ...second.units]), outputs };
  }
}

async function readAtOnce(node: UtxoNode, scripts: Scripts, signal: AbortSignal): Promise<Balances> {
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

/** Whether a node of Bitcoin or Litecoin serves everything that the watcher will ask for. */
import { z } from 'zod';
import { find } from './findings.ts';
import { readPooledOutputs } from './memory-pool.ts';
import type { UtxoHead } from './utxo-blocks.ts';
import type { UtxoNode } from './utxo-node.ts';
import type { SourceFinding } from './watcher.ts';

/** @param readHead as the watcher does it at each poll */
export async function checkUtxoSource(
  node: UtxoNode,
  readHead: () => Promise<UtxoHead & { time: Date }>,
  signal: AbortSignal,
): Promise<SourceFinding[]> {
  const source = node.transport.name;
  let head: (UtxoHead & { time: Date }) | undefined;
  const newest = await find({ source, need: 'newest block' }, async () => {
    head = await readHead();
    return `block ${head.height} of ${head.time.toISOString()}`;
  });
  if (!head) return [newest];
  const { hash } = head;
  const ask = (need: string, run: () => Promise<string>, isRequired = true) => find({ source, need, isRequired }, run);
  return [
    newest,
    await ask('getblock', async () => `${(await node.block(hash, signal)).transactions.length} transactions`),
    await ask('getrawmempool', async () => {
      const ids = await node.pooledIds(signal);
      if (ids[0] !== undefined) await readPooledOutputs(node, ids[0], signal);
      return `${ids.length} transactions`;
    }),
    // It says whether a scan is running; a scan itself takes minutes.
    await ask(
      'scantxoutset',
      async () => {
        await node.rpc.call('scantxoutset', ['status'], z.unknown(), signal);
        return 'for the daily comparison and for sweeps';
      },
      false,
    ),
  ];
}

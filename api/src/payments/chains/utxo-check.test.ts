import { expect, it } from 'vitest';
import { createFakeUtxoChain, genesisHash, serveUtxo } from '../../../test/chains/fake-utxo.ts';
import { startFakeNode } from '../../../test/chains/test-node.ts';
import { createUtxoWatcher } from './utxo-rpc.ts';

const signal = new AbortController().signal;

async function openWatcher(changes: object = {}, chain = createFakeUtxoChain()) {
  const node = await startFakeNode({ ...serveUtxo(chain), scantxoutset: () => null, ...changes });
  return createUtxoWatcher({ chain: 'bitcoin', urls: [node.url], network: { genesisHash, addressPrefix: 'bc' } });
}

it.each<[string, object, string[]]>([
  ['works', {}, []],
  ['serves another chain', { getblockhash: () => '00'.repeat(32) }, ['newest block']],
  ['refuses blocks', { getblock: undefined }, ['getblock']],
  ['refuses its pool', { getrawmempool: undefined }, ['getrawmempool']],
  ['cannot scan', { scantxoutset: undefined }, ['scantxoutset']],
])('a node that %s is found to do so', async (_title, changes, expected) => {
  const findings = await (await openWatcher(changes)).check(signal);
  expect(findings.filter(({ isOk }) => !isOk).map(({ need }) => need)).toEqual(expected);
});

it('a cursor for a rescan continues after its block', async () => {
  const chain = createFakeUtxoChain({ headHeight: 940 });
  const watcher = await openWatcher({}, chain);
  const cursor = await watcher.cursorAt(940, signal);
  chain.headHeight = 1000;
  const poll = await watcher.poll(cursor, new Set(), signal);
  expect(poll).toMatchObject({ orphanedBlockHashes: [], scannedHeight: 990 });
});

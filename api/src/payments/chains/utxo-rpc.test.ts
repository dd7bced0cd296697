import { describe, expect, it } from 'vitest';
import {
  createFakeUtxoChain,
  type FakeOutput,
  type FakeUtxoChain,
  genesisHash,
  hashOf,
  serializeTransaction,
  serveUtxo,
  toOutput,
} from '../../../test/chains/fake-utxo.ts';
import type { Methods } from '../../../test/chains/fake-node.ts';
import { startFakeNode } from '../../../test/chains/test-node.ts';
import { parseAmount, witnessScript } from './utxo-node.ts';
import { createUtxoWatcher } from './utxo-rpc.ts';

/** The first two addresses of BIP84's vector. */
const ours = 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu';
const foreign = 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g';
const script = witnessScript(ours, 'bc');
const addresses = new Set([ours]);
const signal = new AbortController().signal;

async function openWatcher(
  chains: FakeUtxoChain[] = [createFakeUtxoChain()],
  change: (methods: Methods, index: number) => Methods = (methods) => methods,
) {
  const nodes = await Promise.all(chains.map((chain, index) => startFakeNode(change(serveUtxo(chain), index))));
  const urls = nodes.map(({ url }) => url);
  const watcher = createUtxoWatcher({ chain: 'bitcoin', urls, network: { genesisHash, addressPrefix: 'bc' } });
  const { cursor } = await watcher.poll(null, addresses, signal);
  return { chain: chains[0]!, chains, nodes, watcher, poll: (from = cursor) => watcher.poll(from, addresses, signal) };
}

const payAt = (paidHeight: number, value: number) => (height: number) =>
  height === paidHeight ? [[{ script, value }]] : [];

/** The header of the honest block, so that its hash is right, with other transactions. */
function rewriteBlock(honest: string, outputs: FakeOutput[]): string {
  const invented = serializeTransaction('invented', outputs, true);
  return `${honest.slice(0, 160)}01${invented.hex}`;
}

describe('amounts of Bitcoin', () => {
  it.each([
    ['0.1', 10_000_000n],
    ['20999999.9769', 2_099_999_997_690_000n],
    ['0.00000001', 1n],
    ['1e-8', 1n],
    ['2.5E-7', 25n],
    ['3', 300_000_000n],
    ['1.10000000', 110_000_000n],
    ['0.000000010', 1n],
  ])('reads %s exactly', (text, units) => {
    expect(parseAmount(text)).toBe(units);
  });

  it.each(['0.000000001', '-1', '', 'NaN', '1e', '0x1', '1e-9'])('refuses %j', (text) => {
    expect(parseAmount(text)).toBeUndefined();
  });
});

describe('scripts of addresses', () => {
  it('belong to one network and one kind of address', () => {
    expect(script).toBe('0014c0cebcd6c3d3ca8c75dc5ec62ebe55330ef910e2');
    expect(() => witnessScript(ours, 'ltc')).toThrow('ltc1q');
    expect(() => witnessScript('bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', 'bc')).toThrow(
      'Invalid checksum',
    );
    expect(() => witnessScript(`${ours.slice(0, -1)}x`, 'bc')).toThrow('Invalid checksum');
  });
});

describe('the watcher of Bitcoin', () => {
  it('reads amounts that a float would change', async () => {
    const { chain, poll } = await openWatcher();
    Object.assign(chain, { headHeight: 1001, outputsAt: payAt(1001, 20_999_999.97690001) });
    expect((await poll()).payments).toMatchObject([{ units: 2_099_999_997_690_001n, output: 0 }]);
  });

  it('tolerates outputs inside of MWEB, which have no script', async () => {
    const { chain, poll } = await openWatcher();
    const hidden = { ismweb: true, output_id: hashOf('hidden') };
    chain.pool.set(hashOf('transaction'), [hidden, toOutput({ script, value: 1 }, 1)]);
    expect((await poll()).payments).toMatchObject([{ output: 1, units: 100_000_000n, block: undefined }]);
  });

  it.each([
    ['an output that it has invented', (honest: string) => rewriteBlock(honest, [{ script, value: 0.004 }])],
    ['no transactions', (honest: string) => `${honest.slice(0, 160)}00`],
    ['a block without its last transaction', (honest: string) => rewriteBlock(honest, [])],
    ['a part of the block', (honest: string) => honest.slice(0, -2)],
    ['nothing', () => ''],
  ])('takes the block of the second node when the first one sends %s', async (_name, lie) => {
    const chains = [createFakeUtxoChain(), createFakeUtxoChain()];
    const change = (methods: Methods, index: number): Methods =>
      index === 0 ? { ...methods, getblock: (hash: never) => lie(methods['getblock']!(hash) as string) } : methods;
    const { poll } = await openWatcher(chains, change);
    for (const chain of chains) Object.assign(chain, { headHeight: 1001, outputsAt: payAt(1001, 1) });
    expect((await poll()).payments).toMatchObject([{ units: 100_000_000n }]);
  });

  it('reports blocks that the node has pruned', async () => {
    const { chain, poll } = await openWatcher();
    Object.assign(chain, { headHeight: 1400, prunedHeight: 1100 });
    await expect(poll()).rejects.toMatchObject({ reason: 'PRUNED' });
  });

  it('waits for a node that downloads blocks', async () => {
    const { chain, poll } = await openWatcher();
    chain.isDownloading = true;
    await expect(poll()).rejects.toMatchObject({ reason: 'LAGGING' });
  });

  it('waits for a node that has no new blocks', async () => {
    const { chain, poll } = await openWatcher();
    Object.assign(chain, { headHeight: 1001, headAt: new Date(Date.now() - 86_400_000) });
    await expect(poll()).rejects.toMatchObject({ reason: 'LAGGING' });
  });

  it('refuses a node of another chain', async () => {
    const node = await startFakeNode(serveUtxo(createFakeUtxoChain()));
    const watcher = createUtxoWatcher({ chain: 'bitcoin', urls: [node.url] });
    await expect(watcher.poll(null, addresses, signal)).rejects.toMatchObject({ reason: 'INVALID_RESPONSE' });
  });

  it('refuses two nodes that disagree, and continues when they agree', async () => {
    const { chains, poll } = await openWatcher([createFakeUtxoChain(), createFakeUtxoChain()]);
    for (const chain of chains) Object.assign(chain, { headHeight: 1001, outputsAt: payAt(1001, 1) });
    chains[1]!.forkAt = () => 'b';
    await expect(poll()).rejects.toMatchObject({ reason: 'DISAGREEING' });
    chains[1]!.forkAt = () => 'a';
    expect((await poll()).payments).toHaveLength(1);
  });

  it('refuses a reorganisation of all remembered blocks', async () => {
    const { chain, poll } = await openWatcher();
    Object.assign(chain, { forkAt: () => 'b', headHeight: 1001 });
    await expect(poll()).rejects.toMatchObject({ reason: 'DEEP_REORGANISATION' });
  });

  it('follows a new chain that has fewer blocks', async () => {
    const { chain, poll } = await openWatcher();
    Object.assign(chain, { headHeight: 1005, outputsAt: payAt(1001, 1) });
    const { cursor } = await poll();
    Object.assign(chain, { forkAt: (height: number) => (height < 1003 ? 'a' : 'b'), headHeight: 1003 });
    const { orphanedBlockHashes, scannedHeight } = await poll(cursor);
    expect(orphanedBlockHashes).toHaveLength(3);
    expect(scannedHeight).toBe(1003);
  });

  it('orphans nothing because a node lags', async () => {
    const { chain, poll } = await openWatcher();
    Object.assign(chain, { headHeight: 1005, outputsAt: payAt(1005, 1) });
    const { cursor } = await poll();
    for (const headHeight of [1003, 400]) {
      chain.headHeight = headHeight;
      await expect(poll(cursor)).rejects.toMatchObject({ reason: 'LAGGING' });
    }
    chain.headHeight = 1006;
    expect(await poll(cursor)).toMatchObject({ orphanedBlockHashes: [], scannedHeight: 1006 });
  });

  it('keeps 300 blocks in its cursor', { tags: ['thorough'] }, async () => {
    const { chain, poll } = await openWatcher();
    chain.headHeight = 1400;
    let { cursor, scannedHeight } = await poll();
    while (scannedHeight < 1400) ({ cursor, scannedHeight } = await poll(cursor));
    expect((JSON.parse(cursor) as { blocks: unknown[] }).blocks).toHaveLength(300);
  });

  it('does not call a payment lost before it has read the whole memory pool', { tags: ['thorough'] }, async () => {
    const { chain, poll } = await openWatcher();
    for (let index = 0; index < 2500; index += 1) chain.pool.set(hashOf(`waiting ${index}`), []);
    chain.pool.set(hashOf('payment'), [toOutput({ script, value: 1 }, 0)]);
    const first = await poll();
    expect(first).toMatchObject({ pooledTransactionIds: undefined, payments: [] });
    expect(await poll(first.cursor)).toMatchObject({ pooledTransactionIds: [hashOf('payment')], payments: [{}] });
  });

  it.each([
    [0xffffffff, false],
    [0xfffffffe, false],
    [0xfffffffd, true],
    [0, true],
  ])(
    'says of a waiting payment with the sequence %i whether it may be replaced: %s',
    async (sequence, isReplaceable) => {
      const { chain, poll } = await openWatcher();
      chain.sequence = sequence;
      chain.pool.set(hashOf('payment'), [toOutput({ script, value: 1 }, 0)]);
      expect((await poll()).payments).toMatchObject([{ isReplaceable }]);
    },
  );

  it('does not read the memory pool while blocks are missing', async () => {
    const { chain, nodes, poll } = await openWatcher();
    chain.headHeight = 1100;
    const before = nodes[0]!.calls.length;
    expect((await poll()).pooledTransactionIds).toBeUndefined();
    expect(nodes[0]!.calls.slice(before)).not.toContain('getrawmempool');
  });

  it('refuses an address of another network', async () => {
    const { watcher } = await openWatcher();
    const litecoin = new Set([foreign.replace('bc1', 'ltc1')]);
    await expect(watcher.poll(null, litecoin, signal)).rejects.toThrow('Invalid checksum');
  });
});

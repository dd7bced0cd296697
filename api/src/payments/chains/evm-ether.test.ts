/** @module-tag thorough */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createFakeEvmChain,
  type FakeEther,
  type FakeEvmChain,
  hashOf,
  serveEvm,
} from '../../../test/chains/fake-evm.ts';
import { type Methods, Refusal } from '../../../test/chains/fake-node.ts';
import { startFakeNode } from '../../../test/chains/test-node.ts';
import { buildStateTrie } from '../../../test/chains/state-trie.ts';
import { toChecksumAddress } from '../derive/evm-address.ts';
import { createEvmWatcher } from './evm.ts';
import { PATIENT_MS } from '../../../test/chains/patience.ts';

const ours = `0x${'0a'.repeat(20)}`;
const other = `0x${'0b'.repeat(20)}`;
const addresses = new Set([ours]);
const signal = new AbortController().signal;
const BLOCK_MS = 12_000;
const payment: FakeEther = { height: 1005, from: other, to: ours, units: 10n ** 18n };
const byContract: FakeEther = { ...payment, height: 1006, units: 7n, isInternal: true };

/** @param changes of each node's chain, which all have the same blocks; the watcher has polled once */
async function openWatcher(
  changes: readonly Partial<FakeEvmChain>[],
  change = (methods: Methods, _index: number) => methods,
) {
  const chains = changes.map((one) => createFakeEvmChain({ chainId: 1, ...one }));
  const nodes = await Promise.all(chains.map((chain, index) => startFakeNode(change(serveEvm(chain), index))));
  const urls = nodes.map(({ url }) => url);
  const createWatcher = (order = urls) =>
    createEvmWatcher({ chain: 'ethereum', urls: order, usdtContract: chains[0]!.token, timeoutMs: PATIENT_MS });
  let watcher = createWatcher();
  let { cursor } = await watcher.poll(null, addresses, signal);
  return {
    chains,
    nodes,
    watcher,
    move: (to: Partial<FakeEvmChain>) => chains.forEach((chain) => Object.assign(chain, to)),
    poll: async () => {
      const poll = await watcher.poll(cursor, addresses, signal);
      ({ cursor } = poll);
      return poll;
    },
    reverse: () => void (watcher = createWatcher(urls.toReversed())),
  };
}

/** The first node leaves out our transactions. */
const hiding = (methods: Methods): Methods => ({
  ...methods,
  eth_getBlockByNumber(tag: string, isFull: boolean) {
    const block = methods['eth_getBlockByNumber']!(tag as never, isFull as never) as { transactions?: object[] } | null;
    return block?.transactions ? { ...block, transactions: [] } : block;
  },
});

const noProofs = (methods: Methods): Methods => ({
  ...methods,
  eth_getProof: () => {
    throw new Refusal(-32601, 'the method eth_getProof does not exist');
  },
});

/** The root of the states in each header, and proofs for it. */
const withProofs = (methods: Methods): Methods => {
  const truth = serveEvm(createFakeEvmChain({ chainId: 1, ether: [payment, byContract] }));
  const trieAt = (height: number) => {
    const balance = BigInt(truth['eth_getBalance']!(ours as never, height as never) as string);
    return buildStateTrie(
      new Map([
        [ours, balance],
        [other, 5n],
      ]),
    );
  };
  return {
    ...methods,
    eth_getBlockByNumber(tag: string, isFull: boolean) {
      const block = methods['eth_getBlockByNumber']!(tag as never, isFull as never) as { number: string } | null;
      return block && { ...block, stateRoot: trieAt(Number(block.number)).stateRoot };
    },
    eth_getProof: (owner: string, _keys: unknown, height: string) => ({
      accountProof: trieAt(Number(height)).prove(owner),
    }),
  };
};

describe('ether', () => {
  it('is not credited twice when a node leaves out the transaction once its block is final', async () => {
    let isHiding = false;
    const { move, poll, reverse } = await openWatcher([{}, {}], (methods, index) =>
      index === 1
        ? Object.fromEntries(
            Object.entries(methods).map(([name, run]) => [
              name,
              (...args: never[]) => (isHiding ? hiding(methods)[name]! : run)(...args),
            ]),
          )
        : methods,
    );
    move({ headHeight: 1020, ether: [payment] });
    expect((await poll()).payments).toMatchObject([
      { asset: 'ETH', units: payment.units, sender: toChecksumAddress(other) },
    ]);
    isHiding = true;
    reverse();
    move({ headHeight: 1100, finalizedHeight: 1050 });
    await expect(poll()).rejects.toMatchObject({ reason: 'DISAGREEING' });
    isHiding = false;
    const { payments } = await poll();
    expect(new Set(payments.map(({ transactionId }) => transactionId))).toEqual(new Set([hashOf('ether 0')]));
  });

  it.each(['gasUsed', 'effectiveGasPrice'])(
    'is not invented by a receipt with another %s of our sweep',
    async (field) => {
      const { move, poll } = await openWatcher([{}, {}], (methods, index) => ({
        ...methods,
        eth_getTransactionReceipt: (hash: never) => ({
          ...(methods['eth_getTransactionReceipt']!(hash) as object),
          ...(index === 0 && { [field]: '0xffffff' }),
        }),
      }));
      move({ headHeight: 1100, finalizedHeight: 1050, ether: [{ ...payment, from: ours, to: other }] });
      await expect(poll()).rejects.toMatchObject({ reason: 'DISAGREEING' });
    },
  );

  it('from a contract is reported when its block is safe, and the same again when it is final', async () => {
    const { move, poll } = await openWatcher([{}, {}]);
    move({ headHeight: 1040, safeHeight: 1010, ether: [byContract] });
    const { payments, head } = await poll();
    expect(payments).toMatchObject([
      { transactionId: `balance:1006:${ours}`, units: 7n, block: { height: 1006 }, sender: undefined },
    ]);
    expect(head.finalizedHeight).toBeLessThan(1006);
    move({ headHeight: 1060, safeHeight: 1030, finalizedHeight: 1010 });
    expect(await poll()).toMatchObject({ payments: [], head: { finalizedHeight: 1010 } });
  });

  it('from a contract in a block that leaves the chain after it was safe is orphaned, and found again', async () => {
    const { move, poll } = await openWatcher([{}, {}]);
    move({ headHeight: 1040, safeHeight: 1010, ether: [byContract] });
    const [before] = (await poll()).payments;
    move({ forkAt: (height) => (height < 1004 ? 'a' : 'b'), ether: [{ ...byContract, height: 1007 }] });
    const { payments, orphanedBlockHashes } = await poll();
    expect(orphanedBlockHashes).toContain(before!.block!.hash);
    expect(payments).toMatchObject([{ transactionId: `balance:1007:${ours}` }]);
  });

  it('and tokens go on after hours without a worker, though no node has the states', async () => {
    const { move, poll } = await openWatcher([{}, {}]);
    const transfers = [{ height: 1007, to: ours, units: 25n }];
    move({ headHeight: 1400, finalizedHeight: 1330, stateHeight: 1272, ether: [payment, byContract], transfers });
    const polls = [await poll(), await poll(), await poll(), await poll(), await poll()];
    expect(polls.at(-1)).toMatchObject({ scannedHeight: 1398 });
    const found = polls.flatMap(({ payments }) => payments.map(({ asset, units }) => `${units} ${asset}`));
    expect(found).toEqual(['25 USDT', `${10n ** 18n} ETH`]);
    expect(polls.at(-1)!.warnings).toEqual([expect.stringContaining('990')]);
    // A node with an archive is added.
    move({ headHeight: 1410, finalizedHeight: 1340, stateHeight: 0 });
    expect((await poll()).payments.map(({ transactionId }) => transactionId)).toContain(`balance:1006:${ours}`);
    for (let epoch = 1; epoch <= 3; epoch += 1) {
      move({ headHeight: 1410 + epoch, finalizedHeight: 1340 + epoch });
      expect((await poll()).payments).toEqual([]);
    }
    expect((await poll()).warnings).toEqual([]);
  });

  it('from a contract is found by a single archive that proves it', async () => {
    const { move, poll } = await openWatcher([{ stateHeight: 1040 }, {}], withProofs);
    move({ headHeight: 1100, finalizedHeight: 1050, ether: [payment, byContract] });
    const { payments, warnings } = await poll();
    expect(payments.map(({ transactionId }) => transactionId)).toEqual(
      expect.arrayContaining([hashOf('ether 0'), `balance:1006:${ours}`]),
    );
    expect(warnings).toEqual([]);
  });

  it('is not found by a single archive that does not prove it; another asset does not wait for it', async () => {
    const { move, poll } = await openWatcher([{ stateHeight: 1040 }, {}], noProofs);
    move({ headHeight: 1100, finalizedHeight: 1050, ether: [payment, byContract] });
    const { payments, warnings } = await poll();
    expect(payments.filter(({ transactionId }) => transactionId.startsWith('balance:'))).toEqual([]);
    expect(payments).not.toEqual([]);
    expect(warnings).toHaveLength(1);
  });

  it.each(['safeHeight', 'finalizedHeight'])('does not wait for a source whose %s stays the same', async (name) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { chains, move, poll } = await openWatcher([{}, {}, {}]);
    for (let headHeight = 1100; headHeight <= 1200; headHeight += 20) {
      move({ headHeight, safeHeight: headHeight - 40, finalizedHeight: headHeight - 70, ether: [payment] });
      chains[0]![name as 'safeHeight'] = 990;
      vi.advanceTimersByTime(20 * BLOCK_MS);
      await poll();
    }
    const { warnings, head } = await poll();
    expect(head.finalizedHeight).toBe(1130);
    expect(warnings).toEqual([expect.stringContaining('is not used')]);
  });

  it('is confirmed without states, and tokens without ether', async () => {
    const { chains, move, nodes, poll, watcher } = await openWatcher([{}, {}]);
    const transfers = [{ height: 1007, to: ours, units: 25n }];
    move({ headHeight: 1100, finalizedHeight: 1050, ether: [payment], transfers });
    const { payments } = await poll();
    chains.forEach((chain) => (chain.stateHeight = 1090));
    nodes.forEach(({ calls }) => calls.splice(0));
    expect(
      await watcher.confirm(
        payments.find(({ asset }) => asset === 'USDT')!,
        signal,
      ),
    ).toBe(true);
    expect(nodes.flatMap(({ calls }) => calls)).not.toContain('eth_call');
    expect(
      await watcher.confirm(
        payments.find(({ asset }) => asset === 'ETH')!,
        signal,
      ),
    ).toBe(true);
  });
});

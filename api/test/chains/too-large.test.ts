/**
 * Every bound of a source's answer has a way past it: what has one byte more than is read is asked for in parts, or done without.
 * @module-tag thorough
 */
import { describe, expect, it } from 'vitest';
import { createEvmWatcher } from '../../src/payments/chains/evm.ts';
import { createUtxoWatcher } from '../../src/payments/chains/utxo-rpc.ts';
import { witnessScript } from '../../src/payments/chains/utxo-node.ts';
import { createFakeEvmChain, type FakeEvmChain, hashOf, serveEvm } from './fake-evm.ts';
import type { Methods } from './fake-node.ts';
import { createFakeUtxoChain, genesisHash, serveUtxo, toOutput } from './fake-utxo.ts';
import { startFakeNode } from './test-node.ts';
import { openTron } from './tron/open-tron.ts';

const signal = new AbortController().signal;

async function sizeOf(url: string, body: object): Promise<number> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }) });
  return (await response.text()).length;
}

describe('of Ethereum and BSC', () => {
  const ours = `0x${'0a'.repeat(20)}`;
  const others = Array.from({ length: 2000 }, (_, index) => `0x${index.toString(16).padStart(40, '0')}`);

  async function openWatcher(changes: Partial<FakeEvmChain>, change = (methods: Methods, _index: number) => methods) {
    const chain = createFakeEvmChain();
    const nodes = await Promise.all([0, 1].map((index) => startFakeNode(change(serveEvm(chain), index))));
    const options = { chain: 'bsc', urls: nodes.map(({ url }) => url), usdtContract: chain.token } as const;
    const { cursor } = await createEvmWatcher(options).poll(null, new Set([ours]), signal);
    Object.assign(chain, { headHeight: 1040, finalizedHeight: 1020 }, changes);
    return {
      sizeOf: (method: string, ...params: unknown[]) => sizeOf(nodes[0]!.url, { method, params }),
      unitsWith: async (responseBytesMax: number, addresses: readonly string[] = [ours]) => {
        const watcher = createEvmWatcher({ ...options, responseBytesMax });
        const { payments } = await watcher.poll(cursor, new Set(addresses), signal);
        return payments.map(({ units }) => units);
      },
    };
  }

  it('logs are read in smaller ranges', async () => {
    const transfers = Array.from({ length: 20 }, (_, index) => ({ height: 991 + index, to: ours, units: 5n }));
    const { sizeOf, unitsWith } = await openWatcher({ transfers });
    const filter = { fromBlock: '0x0', toBlock: '0xffff', topics: [] };
    const units = await unitsWith((await sizeOf('eth_getLogs', filter)) - 1);
    expect(units).toEqual(transfers.map(() => 5n));
  });

  it('the transfers of one block, if nobody is named, are read by their recipients', async () => {
    const foreign = Array.from({ length: 50 }, () => ({ height: 1005, to: `0x${'0b'.repeat(20)}`, units: 1n }));
    const { sizeOf, unitsWith } = await openWatcher({ transfers: [...foreign, { height: 1005, to: ours, units: 5n }] });
    const filter = { fromBlock: '0x3ed', toBlock: '0x3ed', topics: [] };
    expect(await unitsWith((await sizeOf('eth_getLogs', filter)) - 1, [...others, ours])).toEqual([5n]);
  });

  const withLogs = (methods: Methods): Methods => ({
    ...methods,
    eth_getTransactionReceipt(hash: never) {
      const receipt = methods['eth_getTransactionReceipt']!(hash) as { logs: object[] };
      const strange = Array.from({ length: 100 }, (_, index) => ({
        ...receipt.logs[0],
        address: others[0],
        logIndex: `0x${(1000 + index).toString(16)}`,
      }));
      return { ...receipt, logs: [...strange, ...receipt.logs] };
    },
  });

  it('a receipt that no source can send stops nothing: the logs that they agree about count', async () => {
    const { sizeOf, unitsWith } = await openWatcher({ transfers: [{ height: 1005, to: ours, units: 5n }] }, withLogs);
    expect(await unitsWith((await sizeOf('eth_getTransactionReceipt', hashOf('transfer 0'))) - 1)).toEqual([5n]);
  });

  it('a receipt that only one source cannot send is a difference', async () => {
    const { unitsWith } = await openWatcher({ transfers: [{ height: 1005, to: ours, units: 5n }] }, (methods, index) =>
      index === 0 ? withLogs(methods) : methods,
    );
    await expect(unitsWith(8000)).rejects.toMatchObject({ reason: 'DISAGREEING' });
  });
});

it('of Bitcoin: a waiting transaction is left to its block, and others are shown', async () => {
  const ours = 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu';
  const output = { script: witnessScript(ours, 'bc'), value: 0.1 };
  const chain = createFakeUtxoChain();
  const { url } = await startFakeNode(serveUtxo(chain));
  const [small, large] = ['0a', '0b'].map((byte) => byte.repeat(32)) as [string, string];
  chain.pool.set(small, [toOutput(output, 0)]);
  chain.pool.set(large, Array.from({ length: 200 }, () => output).map(toOutput));
  const responseBytesMax = (await sizeOf(url, { method: 'getrawtransaction', params: [large] })) - 1;
  const network = { genesisHash, addressPrefix: 'bc' };
  const watcher = createUtxoWatcher({ chain: 'bitcoin', urls: [url], network, responseBytesMax });
  const poll = await watcher.poll(null, new Set([ours]), signal);
  expect(poll.payments.map(({ transactionId }) => transactionId)).toEqual([small]);
  expect(poll.pooledTransactionIds).toEqual([small]);
});

describe('of TRON', () => {
  it('blocks are asked for in smaller ranges, and a poll that catches up ends', async () => {
    const { chain, nodes, addresses, send, createWatcher, observer } = await openTron();
    const [address] = addresses;
    for (let block = 0; block < 60; block += 1) {
      for (let count = 0; count < 5; count += 1) send.trx({ address, units: 1n });
      chain.mine();
    }
    const range = { startNum: chain.head.height - 4, endNum: chain.head.height + 1 };
    const tooLarge = await fetch(`${nodes[0]!.url}/wallet/getblockbylimitnext`, {
      method: 'POST',
      body: JSON.stringify(range),
    });
    observer.restart(createWatcher({ responseBytesMax: (await tooLarge.text()).length - 1 }));
    expect(await observer.catchUp()).toBeLessThan(5);
    chain.mine(22);
    await observer.catchUp();
    expect(observer.finalUnits(address)).toBe(300n);
  });

  it('a transfer whose receipt nobody can send is not shown, and stops nothing', async () => {
    const { nodes, addresses, send, createWatcher, observer, makeFinal } = await openTron();
    const [hidden, shown] = addresses;
    const id = send.usdtBatch({ address: hidden, units: 7n });
    send.usdt({ address: shown, units: 5n });
    for (const { behaviour } of nodes)
      behaviour.changeReceipt = (logs) =>
        logs[0]!.transactionHash === `0x${id}` ? Array.from({ length: 200 }, () => logs).flat() : logs;
    observer.restart(createWatcher({ responseBytesMax: 100_000 }));
    await makeFinal();
    expect([observer.finalUnits(hidden), observer.finalUnits(shown)]).toEqual([0n, 5n]);
  });

  it('a receipt that only one of two sources cannot send is a difference', async () => {
    const { nodes, addresses, send, createWatcher, observer, problem, chain } = await openTron();
    send.usdtBatch({ address: addresses[0], units: 7n }, { address: addresses[1], units: 7n });
    chain.mine(30);
    nodes[0]!.behaviour.changeReceipt = (logs) => Array.from({ length: 200 }, () => logs).flat();
    observer.restart(createWatcher({ responseBytesMax: 100_000 }));
    expect(await problem()).toBe('DISAGREEING');
  });
});

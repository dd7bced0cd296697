import { describe, expect, it } from 'vitest';
import { createFakeEvmChain, type FakeEvmChain, hashOf, serveEvm } from '../../../test/chains/fake-evm.ts';
import { type Methods, Refusal } from '../../../test/chains/fake-node.ts';
import { startFakeNode } from '../../../test/chains/test-node.ts';
import { createEvmWatcher } from './evm.ts';
import { PATIENT_MS } from '../../../test/chains/patience.ts';

const ours = `0x${'0A'.repeat(20)}`;
const other = `0x${'0b'.repeat(20)}`;
const addresses = new Set([ours]);
const signal = new AbortController().signal;
/** A payment that is final already when the second poll begins. */
const transfer = { height: 1005, to: ours.toLowerCase(), units: 25n * 10n ** 18n };

interface Options {
  chain?: 'ethereum' | 'bsc';
  chains?: FakeEvmChain[];
  change?: (methods: Methods, index: number) => Methods;
}

/** One node for each chain; the watcher has polled once. */
async function openWatcher({
  chain = 'bsc',
  chains = [createFakeEvmChain()],
  change = (methods) => methods,
}: Options = {}) {
  const nodes = await Promise.all(chains.map((chain, index) => startFakeNode(change(serveEvm(chain), index))));
  const watcher = createEvmWatcher({
    chain,
    urls: nodes.map(({ url }) => url),
    usdtContract: chains[0]!.token,
    timeoutMs: PATIENT_MS,
  });
  const { cursor } = await watcher.poll(null, addresses, signal);
  const advance = (changes: Partial<FakeEvmChain> = {}) => {
    for (const chain of chains) {
      Object.assign(chain, { headHeight: 1100, finalizedHeight: 1090, transfers: [transfer], ...changes });
    }
  };
  return { chains, nodes, watcher, advance, poll: (from = cursor) => watcher.poll(from, addresses, signal) };
}

const withStatus = (status: string) => (methods: Methods) => ({
  ...methods,
  eth_getTransactionReceipt: (hash: never) => ({
    ...(methods['eth_getTransactionReceipt']!(hash) as object),
    status,
  }),
});

const pruned = (methods: Methods) => ({
  ...methods,
  eth_getLogs: () => {
    throw new Refusal(4444, 'pruned history unavailable');
  },
});

const limited = (methods: Methods) => ({
  ...methods,
  eth_getLogs: (filter: { fromBlock: string; toBlock: string }) => {
    if (Number(filter.toBlock) - Number(filter.fromBlock) >= 5) throw new Refusal(-32602, 'exceed max block range: 5');
    return methods['eth_getLogs']!(filter as never);
  },
});

const refusing = (methods: Methods) => ({
  ...methods,
  eth_getLogs: () => {
    throw new Refusal(-32005, 'query exceeds max results');
  },
});

/** Adds a transaction of ether to the block of the transfer. */
const payingEther = (methods: Methods, units: number): Methods => ({
  ...methods,
  eth_getBlockByNumber(tag: string, isFull: boolean) {
    const block = methods['eth_getBlockByNumber']!(tag as never, isFull as never) as { transactions?: object[] } | null;
    if (!block?.transactions || Number(tag) !== transfer.height) return block;
    const payment = { hash: hashOf('ether'), from: other, to: ours.toLowerCase(), value: `0x${units.toString(16)}` };
    return { ...block, transactions: [...block.transactions, payment] };
  },
});

describe('the watcher of an EVM chain', () => {
  it('reports the address as it was given, and the amount of the log', async () => {
    const { advance, poll } = await openWatcher();
    advance();
    const { payments } = await poll();
    expect(payments).toMatchObject([{ asset: 'USDT', address: ours, units: transfer.units, block: { height: 1005 } }]);
  });

  it('names the account that the transfer took the tokens from, and refuses one that the sources disagree about', async () => {
    const { advance, chains, poll } = await openWatcher({ chains: [createFakeEvmChain(), createFakeEvmChain()] });
    advance({ transfers: [{ ...transfer, from: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed' }] });
    const { payments } = await poll();
    // As EIP-55 writes it.
    expect(payments).toMatchObject([{ sender: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }]);
    chains[1]!.transfers = [{ ...transfer, from: other }];
    await expect(poll()).rejects.toMatchObject({ reason: 'DISAGREEING' });
  });

  it.each([
    ['a removed log', { removed: true }],
    ['a log of another contract', { address: other }],
    ['an amount of 0', { data: `0x${'0'.repeat(64)}` }],
    ['another event', { topics: [hashOf('Approval'), hashOf('a'), `0x${'0a'.repeat(20).padStart(64, '0')}`] }],
    ['an event with an indexed amount', { topics: Array.from({ length: 4 }, () => hashOf('Transfer')) }],
    ['an amount of two words', { data: `0x${'1'.repeat(128)}` }],
  ])('ignores %s, which a node should not have sent', async (_name, changes) => {
    const { advance, poll } = await openWatcher();
    advance({ changeLog: (log) => ({ ...log, ...changes }) });
    expect((await poll()).payments).toEqual([]);
  });

  it('refuses a log of a block that is not in the chain', async () => {
    const { advance, poll } = await openWatcher();
    advance({ changeLog: (log) => ({ ...log, blockHash: hashOf('elsewhere') }) });
    await expect(poll()).rejects.toMatchObject({ reason: 'DISAGREEING' });
  });

  it('refuses a transfer that only one of two nodes reports', async () => {
    const chains = [createFakeEvmChain(), createFakeEvmChain()];
    const { advance, poll } = await openWatcher({ chains });
    advance();
    chains[1]!.transfers = [];
    await expect(poll()).rejects.toMatchObject({ reason: 'DISAGREEING' });
    chains[1]!.transfers = [transfer];
    expect((await poll()).payments).toHaveLength(1);
  });

  it.each([
    ['another amount of ether than the second', [9, 5]],
    ['ether that the second does not know', [9, 0]],
    ['less ether than the second', [5, 9]],
  ])('refuses a first node that reports %s', { tags: ['thorough'] }, async (_name, units) => {
    const { advance, poll } = await openWatcher({
      chain: 'ethereum',
      chains: [createFakeEvmChain({ chainId: 1 }), createFakeEvmChain({ chainId: 1 })],
      change: (methods, index) => (units[index]! > 0 ? payingEther(methods, units[index]!) : methods),
    });
    advance({ transfers: [] });
    await expect(poll()).rejects.toMatchObject({
      reason: 'DISAGREEING',
      message: expect.stringMatching('the transactions of '),
    });
  });

  it('refuses a transfer whose receipt says that it failed', async () => {
    const { advance, poll } = await openWatcher({ change: withStatus('0x0') });
    advance();
    await expect(poll()).rejects.toMatchObject({ reason: 'DISAGREEING' });
  });

  it('refuses a receipt whose status is neither success nor failure', async () => {
    const { advance, poll } = await openWatcher({ change: withStatus('0x2') });
    advance();
    const message = expect.stringContaining('eth_getTransactionReceipt.status');
    await expect(poll()).rejects.toMatchObject({ reason: 'INVALID_RESPONSE', message });
  });

  it('refuses two nodes with different blocks', async () => {
    const { chains, poll } = await openWatcher({ chains: [createFakeEvmChain(), createFakeEvmChain()] });
    chains[1]!.forkAt = () => 'b';
    await expect(poll()).rejects.toMatchObject({ reason: 'DISAGREEING' });
  });

  it('continues with a third node when one of the first two lies, and when one is down', async () => {
    const chains = [createFakeEvmChain(), createFakeEvmChain(), createFakeEvmChain()];
    const { advance, nodes, poll } = await openWatcher({ chains });
    advance();
    chains[1]!.transfers = [];
    const first = await poll().catch(() => poll());
    expect(first.payments).toHaveLength(1);
    chains[1]!.transfers = [transfer];
    nodes[0]!.respond = (_request, response) => response.writeHead(503).end();
    expect((await poll()).payments).toHaveLength(1);
  });

  it('needs two of two nodes', async () => {
    const { nodes, poll } = await openWatcher({ chains: [createFakeEvmChain(), createFakeEvmChain()] });
    nodes[1]!.respond = (_request, response) => response.writeHead(429).end();
    await expect(poll()).rejects.toMatchObject({ reason: 'THROTTLED' });
  });

  it('reads only as far as the node that is behind', async () => {
    const chains = [createFakeEvmChain(), createFakeEvmChain()];
    const { advance, poll } = await openWatcher({ chains });
    advance();
    Object.assign(chains[1]!, { headHeight: 1004, finalizedHeight: 990, headAt: new Date() });
    chains[0]!.headAt = new Date(Date.now() + 96 * 12_000);
    const { head, payments } = await poll();
    expect(head.height).toBe(992);
    expect(payments).toEqual([]);
  });

  it('agrees with a node that is some seconds behind', async () => {
    const chains = [createFakeEvmChain(), createFakeEvmChain()];
    const { advance, poll } = await openWatcher({ chains });
    advance();
    // Ten blocks of BSC: the first node has newer blocks than the second one.
    Object.assign(chains[0]!, { headHeight: 1110, headAt: new Date(chains[1]!.headAt.getTime() + 10 * 12_000) });
    const { head, payments } = await poll();
    expect(head.height).toBe(1088);
    expect(payments).toHaveLength(1);
  });

  it('refuses a node that does not follow the chain', async () => {
    const { chains, poll } = await openWatcher();
    chains[0]!.headAt = new Date(Date.now() - 3_600_000);
    await expect(poll()).rejects.toMatchObject({ reason: 'LAGGING' });
  });

  it('refuses a node of another chain', async () => {
    const { chains, poll } = await openWatcher();
    chains[0]!.chainId = 97;
    await expect(poll()).rejects.toMatchObject({ reason: 'INVALID_RESPONSE' });
  });

  it('refuses a reorganisation that removes a final block', async () => {
    const { chains, poll } = await openWatcher();
    chains[0]!.forkAt = () => 'b';
    await expect(poll()).rejects.toMatchObject({ reason: 'DEEP_REORGANISATION' });
  });

  it('names a node that has pruned the requested data', async () => {
    const { advance, poll } = await openWatcher({ change: pruned });
    advance();
    await expect(poll()).rejects.toMatchObject({ reason: 'PRUNED' });
  });

  it('asks for fewer blocks until the node accepts, and remembers that', async () => {
    const { advance, nodes, poll } = await openWatcher({ change: limited });
    advance();
    expect((await poll()).payments).toHaveLength(1);
    const { calls } = nodes[0]!;
    const before = calls.length;
    await poll();
    // 90 final blocks and some newer ones in pieces of at most 5, without attempts that fail.
    expect(calls.slice(before).filter((method) => method === 'eth_getLogs').length).toBeLessThanOrEqual(40);
  });

  it('gives up when the node refuses even one block and one address', async () => {
    const { advance, poll } = await openWatcher({ change: refusing });
    advance();
    await expect(poll()).rejects.toMatchObject({ reason: 'INVALID_RESPONSE' });
  });

  it('keeps a bounded cursor, regardless of the payments', { tags: ['thorough'] }, async () => {
    const { advance, poll } = await openWatcher();
    advance({ transfers: Array.from({ length: 600 }, (_, index) => ({ ...transfer, height: 1001 + (index % 88) })) });
    const { cursor, payments } = await poll();
    expect(payments.length).toBeGreaterThanOrEqual(600);
    expect(cursor.length).toBeLessThan(300 * 80);
  });
});

/**
 * Sources of TRON that fail, refuse, forget or lie: they cost time, never money.
 * @module-tag thorough
 */
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { type Behaviour, honest } from '../../../../test/chains/tron/behaviour.ts';
import { openTron } from '../../../../test/chains/tron/open-tron.ts';
import type { PrintedBlock, PrintedLog, PrintedTransaction } from '../../../../test/chains/tron/printing.ts';
import { encodeTronAddress } from '../../derive/tron-address.ts';
import { blockSchema } from './answers.ts';
import { isProven } from './bodies.ts';
import nileBlock from './fixtures/tron-nile-13232131.json' with { type: 'json' };
import { TETHER, toHexAddress } from './network.ts';
import { bytesField, integerField } from './protobuf.ts';
import { isCalled } from './token-payments.ts';
import { readTokenCall } from './transaction.ts';

const UNITS = 25_000_000n;
const signal = new AbortController().signal;

// The pauses of sources that throttle are measured with the monotonic clock.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  // 0 means never.
  vi.advanceTimersByTime(1);
});
afterEach(() => void vi.useRealTimers());

/** Changes the transactions of blocks that have some. */
const changing =
  (change: (transactions: PrintedTransaction[]) => PrintedTransaction[]) =>
  ({ transactions, ...block }: PrintedBlock): PrintedBlock =>
    transactions ? { ...block, transactions: change(structuredClone(transactions)) } : block;

/** The last 20 bytes. */
const bare = (address: string) => toHexAddress(address).slice(2);
const isOurs = (addresses: readonly string[]) => (log: PrintedLog) =>
  addresses.some((address) => log.topics[2]!.endsWith(bare(address)));
const OTHER = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';
const withRecipient = (log: PrintedLog): PrintedLog => ({
  ...log,
  topics: [log.topics[0]!, log.topics[1]!, `0x${bare(OTHER).padStart(64, '0')}`],
});

const withResult = (contractRet: string) =>
  changing((transactions) => transactions.map((one) => Object.assign(one, { ret: [{ contractRet }] })));

describe('a block of a lying source', () => {
  it.each<[string, Behaviour['changeBlock']]>([
    ['says that payments have failed', withResult('REVERT')],
    ['says that they have another result', withResult('SOMETHING_NEW')],
    ['leaves one out', changing((transactions) => transactions.slice(1))],
    ['contains one twice', changing((transactions) => [...transactions, transactions[0]!])],
    ['has them in another order', changing((transactions) => transactions.toReversed())],
    ['has none', changing(() => [])],
    ['is missing', () => undefined],
    ['has another id', (block) => ({ ...block, blockID: block.blockID.replace(/.$/, '0') })],
  ])('%s: the block of the other source is used', async (_, changeBlock) => {
    const { nodes, addresses, observer, send, makeFinal, chain } = await openTron({ sources: 3 });
    const [address] = addresses;
    nodes[0]!.behaviour.changeBlock = changeBlock;
    chain.mine();
    for (let count = 0; count < 2; count += 1) send.trx({ address, units: UNITS });
    await makeFinal();
    expect(observer.finalUnits(address)).toBe(2n * UNITS);
    expect(observer.finalTo(address)).toHaveLength(2);
  });

  it('shows another amount in JSON: what counts is in its bytes', async () => {
    const { nodes, addresses, observer, send, makeFinal } = await openTron();
    const [address] = addresses;
    for (const { behaviour } of nodes)
      behaviour.changeBlock = changing((transactions) => {
        for (const { raw_data } of transactions) raw_data.contract[0]!.parameter.value['amount'] = 9e15;
        return transactions;
      });
    send.trx({ address, units: UNITS });
    await makeFinal();
    expect(observer.finalUnits(address)).toBe(UNITS);
  });

  it('invents a success: nothing is credited', async () => {
    const { nodes, addresses, observer, send, makeFinal, chain } = await openTron();
    const [address] = addresses;
    nodes[0]!.behaviour.changeBlock = withResult('SUCCESS');
    chain.lacksResults = true;
    send.trx({ address, units: UNITS });
    chain.mine();
    chain.lacksResults = false;
    await makeFinal();
    expect(observer.paymentsTo(address)).toEqual([]);
  });
});

describe('a transaction in whose result its sender has put', () => {
  it.each([
    ['a fee of -1', integerField(1, -1n)],
    ['a fee of 2^53', integerField(1, 2n ** 53n)],
    ['a fee of 2^63-1', integerField(1, 2n ** 63n - 1n)],
    ['the smallest fee', integerField(1, -(2n ** 63n))],
    ['an unknown code', integerField(2, 77)],
    ['an unknown field of 16 bytes', bytesField(1002, Buffer.alloc(16))],
  ])('%s stops nothing', async (_, fields) => {
    const { chain, addresses, observer, send, makeFinal } = await openTron();
    const [address] = addresses;
    chain.resultFields = fields;
    send.trx({ address, units: UNITS });
    send.usdt({ address, units: UNITS });
    await makeFinal();
    expect(observer.finalUnits(address)).toBe(2n * UNITS);
  });

  it.each([[-1n], [2n ** 53n], [2n ** 63n - 1n]])('a fee of %s: its block still proves itself', async (fee) => {
    const { chain, addresses, observer, send } = await openTron();
    chain.resultFields = integerField(1, fee);
    send.trx({ address: addresses[0], units: UNITS });
    chain.mine(4);
    expect((await observer.poll()).warnings).toEqual([]);
  });
});

test('a result that no node prints makes a block unprovable, and its answer not invalid', () => {
  for (const ret of [{ fee: 1e300 }, { fee: 'x' }, { contractRet: 5 }, { ret: [] }, { fee: null }]) {
    const transactions = [{ raw_data_hex: '0a', signature: [], ret: [ret] }];
    const block = blockSchema.parse({ ...nileBlock, transactions });
    expect(isProven(block)).toBe(false);
  }
});

describe('a transaction with fields that JSON does not show', () => {
  it('stops nothing if two sources say the same, and its blocks are counted', async () => {
    const { chain, addresses, observer, send, makeFinal } = await openTron();
    const [address] = addresses;
    chain.hasHiddenFields = true;
    send.trx({ address, units: UNITS });
    chain.mine(4);
    expect(await observer.poll()).toMatchObject({ unprovenBlocks: 1 });
    send.usdt({ address, units: UNITS });
    chain.mine(1);
    chain.hasHiddenFields = false;
    chain.mine(3);
    expect(await observer.poll()).toMatchObject({ unprovenBlocks: 2 });
    chain.mine(4);
    expect(await observer.poll()).not.toHaveProperty('unprovenBlocks');
    await makeFinal();
    expect(observer.finalUnits(address)).toBe(2n * UNITS);
  });

  it('is not in a block that a third source proves, although two others say the same about it', async () => {
    const { nodes, addresses, observer, send, makeFinal } = await openTron({ sources: 3 });
    const [address] = addresses;
    for (const { behaviour } of nodes.slice(0, 2)) behaviour.changeBlock = changing(() => []);
    send.trx({ address, units: UNITS });
    await makeFinal();
    expect(observer.finalUnits(address)).toBe(UNITS);
    expect(observer.lastPoll()).not.toHaveProperty('unprovenBlocks');
  });

  it('is accepted by two although a third source does not respond', async () => {
    const { chain, nodes, addresses, observer, send, makeFinal } = await openTron({ sources: 3 });
    const [address] = addresses;
    chain.hasHiddenFields = true;
    nodes[2]!.behaviour.page = 'CLOSED';
    for (let count = 0; count < 3; count += 1) {
      send.trx({ address, units: UNITS });
      chain.mine();
    }
    chain.hasHiddenFields = false;
    await makeFinal();
    expect(observer.finalUnits(address)).toBe(3n * UNITS);
    expect(nodes[2]!.calls.filter((call) => call === '/wallet/getblockbylimitnext').length).toBeLessThanOrEqual(2);
  });

  it.each(['usdt', 'trx'] as const)(
    'is not without success because its result is an unknown word: %s to us',
    async (asset) => {
      const { chain, nodes, addresses, observer, send } = await openTron();
      const [address] = addresses;
      chain.hasHiddenFields = true;
      for (const { behaviour } of nodes) behaviour.changeBlock = withResult('SOMETHING_NEW');
      send[asset]({ address: OTHER, units: UNITS });
      chain.mine(4);
      await observer.poll();
      send[asset]({ address, units: UNITS });
      chain.mine(4);
      await expect(observer.poll()).rejects.toThrow(/contractRet of [0-9a-f]{64} that is not known/);
      for (const { behaviour } of nodes) behaviour.changeBlock = (block) => block;
      await observer.catchUp();
      expect(observer.includedUnits(address)).toBe(UNITS);
    },
  );

  it('hides no lie: what sources say differently about its block is refused', async () => {
    const { chain, nodes, addresses, observer, send, problem } = await openTron();
    const [address] = addresses;
    chain.hasHiddenFields = true;
    nodes[0]!.behaviour.changeBlock = withResult('REVERT');
    send.trx({ address, units: UNITS });
    chain.mine(4);
    expect(await problem()).toBe('INVALID_RESPONSE');
    expect(observer.paymentsTo(address)).toEqual([]);
    nodes[0]!.behaviour.changeBlock = (block) => block;
    await observer.catchUp();
    expect(observer.includedUnits(address)).toBe(UNITS);
  });
});

describe('logs', () => {
  it('that one source leaves out are no payment, and the chain waits once the block is solid', async () => {
    const { chain, nodes, addresses, observer, send, problem, makeFinal } = await openTron();
    const [address] = addresses;
    nodes[1]!.behaviour.changeLogs = (logs) => logs.slice(0, -1);
    send.usdt({ address, units: UNITS });
    chain.mine(4);
    await observer.poll();
    expect(observer.paymentsTo(address)).toEqual([]);
    chain.mine(20);
    expect(await problem()).toBe('DISAGREEING');
    nodes[1]!.behaviour.changeLogs = (logs) => logs;
    await makeFinal();
    expect(observer.finalTo(address)).toHaveLength(1);
  });

  it.each<[string, Behaviour['changeLogs']]>([
    ['has a larger amount', (logs) => logs.map((log) => ({ ...log, data: `0x${'f'.repeat(64)}` }))],
    ['is of another block', (logs) => logs.map((log) => ({ ...log, blockHash: `0x${'0'.repeat(64)}` }))],
    ['is of another transaction', (logs) => logs.map((log) => ({ ...log, transactionHash: `0x${'1'.repeat(64)}` }))],
    ['has another number', (logs) => logs.map((log) => ({ ...log, logIndex: '0x7' }))],
    ['is missing', () => []],
  ])('of which one %s: the two other sources decide', async (_, changeLogs) => {
    const { nodes, addresses, observer, send, makeFinal } = await openTron({ sources: 3 });
    const [address] = addresses;
    nodes[0]!.behaviour.changeLogs = changeLogs;
    send.usdtBatch({ address, units: UNITS }, { address, units: 1n });
    await makeFinal();
    expect(observer.finalTo(address).map(({ output, units }) => [output, units])).toEqual([
      [0, UNITS],
      [1, 1n],
    ]);
  });

  it('that both sources invent need a transaction that has succeeded', async () => {
    const { chain, nodes, addresses, observer, send, problem } = await openTron();
    const [address] = addresses;
    chain.forcedResult = 'REVERT';
    const failed = send.usdt({ address, units: UNITS });
    chain.mine();
    chain.forcedResult = undefined;
    const real = send.usdt({ address, units: 1n });
    chain.mine(3);
    for (const { behaviour } of nodes)
      behaviour.changeLogs = (logs) => logs.map((log) => ({ ...log, transactionHash: `0x${failed}` }));
    expect(await problem()).toBe('DISAGREEING');
    for (const { behaviour } of nodes) behaviour.changeLogs = (logs) => logs;
    await observer.catchUp();
    expect(observer.paymentsTo(address).map(({ transactionId }) => transactionId)).toEqual([real]);
  });

  it.each<[string, (logs: PrintedLog[]) => PrintedLog[]]>([
    [
      'with a larger amount',
      (logs) => logs.map((log) => ({ ...log, data: `0x${(UNITS + 1n).toString(16).padStart(64, '0')}` })),
    ],
    [
      'with a smaller amount',
      (logs) => logs.map((log) => ({ ...log, data: `0x${(UNITS / 2n).toString(16).padStart(64, '0')}` })),
    ],
    ['twice', (logs) => logs.flatMap((log) => [log, { ...log, logIndex: '0x9' }])],
    ['with another recipient', (logs) => logs.map((log) => withRecipient(log))],
    ['not at all', () => []],
  ])('that both sources show %s contradict the bytes of the call: nothing is credited', async (_, change) => {
    const { chain, nodes, addresses, observer, send, problem, makeFinal } = await openTron();
    for (const { behaviour } of nodes) {
      behaviour.changeLogs = (logs) => change(logs.filter(isOurs(addresses)));
      behaviour.changeReceipt = change;
    }
    send.usdt({ address: addresses[0], units: UNITS });
    chain.mine(26);
    expect(await problem()).toMatch(/DISAGREEING|INVALID_RESPONSE/);
    expect(addresses.flatMap(observer.paymentsTo)).toEqual([]);
    for (const { behaviour } of nodes) Object.assign(behaviour, honest());
    await makeFinal();
    expect(observer.finalTo(addresses[0])).toMatchObject([{ units: UNITS, output: 0 }]);
  });

  it('that both sources leave out are missed after a restart, too, also where their receipts have none', async () => {
    const { chain, nodes, addresses, observer, send, problem, createWatcher, makeFinal } = await openTron();
    const [address] = addresses;
    for (const { behaviour } of nodes) behaviour.changeLogs = (logs) => logs.filter((one) => !isOurs(addresses)(one));
    send.usdt({ address, units: UNITS });
    chain.mine(4);
    expect(await problem()).toBeUndefined();
    observer.restart(createWatcher());
    for (const { behaviour } of nodes) behaviour.changeInfo = (info) => ({ ...info, log: [] });
    chain.mine(22);
    expect(await problem()).toBe('DISAGREEING');
    for (const { behaviour } of nodes) Object.assign(behaviour, honest());
    await makeFinal();
    expect(observer.finalTo(address)).toHaveLength(1);
  });

  it('of a call with a fee of the token are a payment, and so is an allowance that is used', async () => {
    const to = `41${'1'.repeat(40)}`;
    const call = { to, units: 1000n };
    expect(isCalled({ to, units: 998n, output: 0 }, call, TETHER)).toBe(true);
    expect(isCalled({ to, units: 997n, output: 0 }, call, TETHER)).toBe(false);
    const words = [`${'0'.repeat(24)}${'2'.repeat(40)}`, `${'0'.repeat(24)}${'1'.repeat(40)}`, '3e8'.padStart(64, '0')];
    expect(readTokenCall(Buffer.from(`23b872dd${words.join('')}`, 'hex'))).toEqual(call);
  });

  it('whose receipt is late are read again, and never lost', async () => {
    const { chain, nodes, addresses, observer, send, advance } = await openTron();
    const [address] = addresses;
    nodes[1]!.behaviour.receiptsBehind = 12;
    send.usdt({ address, units: UNITS });
    await advance(8);
    expect(observer.paymentsTo(address)).toEqual([]);
    await advance(8);
    expect(observer.includedUnits(address)).toBe(UNITS);
    expect(observer.finalUnits(address)).toBe(0n);
    await advance(8);
    expect(observer.finalTo(address)).toHaveLength(1);
    expect(chain.head.height - observer.lastPoll().head.finalizedHeight!).toBe(18);
  });

  it('whose receipts say something else about their order are refused', async () => {
    const { chain, nodes, addresses, observer, send, problem } = await openTron();
    const [address] = addresses;
    nodes[1]!.behaviour.changeReceipt = (logs) => logs.toReversed();
    send.usdtBatch({ address, units: 1n }, { address, units: 2n });
    chain.mine(4);
    expect(await problem()).toBe('DISAGREEING');
    expect(observer.paymentsTo(address)).toEqual([]);
  });
});

describe('a source without an index of logs', () => {
  it('is not used, at the start and every ten minutes, and the cursor waits', async () => {
    const { chain, nodes, addresses, observer, send, problem, makeFinal, createWatcher } = await openTron();
    const [address] = addresses;
    for (const { behaviour } of nodes) behaviour.lacksLogsOf = () => true;
    observer.restart(createWatcher());
    const { scannedHeight } = observer.lastPoll();
    send.usdt({ address, units: UNITS });
    chain.mine(30);
    expect(await problem()).toBe('INVALID_RESPONSE');
    expect(observer.lastPoll().scannedHeight).toBe(scannedHeight);
    for (const { behaviour } of nodes) behaviour.lacksLogsOf = () => false;
    await makeFinal();
    expect(observer.finalTo(address)).toHaveLength(1);
    for (const { behaviour } of nodes) behaviour.lacksLogsOf = () => true;
    vi.advanceTimersByTime(10 * 60_000 + 1);
    chain.mine(4);
    expect(await problem()).toBe('INVALID_RESPONSE');
  });

  it('is noticed by a gap of both, because a block shows a transfer to us', async () => {
    const { chain, nodes, addresses, observer, send, problem, makeFinal } = await openTron();
    const [address] = addresses;
    const paidAt = chain.head.height + 1;
    for (const { behaviour } of nodes) behaviour.changeLogs = () => [];
    send.usdt({ address, units: UNITS });
    chain.mine(4);
    expect(await problem()).toBeUndefined();
    chain.mine(18);
    expect(await problem()).toBe('INVALID_RESPONSE');
    expect(observer.lastPoll().head.finalizedHeight).toBeLessThan(paidAt);
    for (const { behaviour } of nodes) behaviour.changeLogs = (logs) => logs;
    await makeFinal();
    expect(observer.finalTo(address)).toHaveLength(1);
  });

  it('is found for a token that is used rarely by the receipts of its last transfer', async () => {
    const otherToken = `41${'a'.repeat(40)}`;
    const usdtContract = encodeTronAddress(Buffer.from(otherToken, 'hex'));
    const { chain, nodes, send, problem } = await openTron({ usdtContract });
    expect(chain.contracts.otherToken).toBe(otherToken);
    expect(await problem()).toBeUndefined();
    vi.advanceTimersByTime(10 * 60_000 + 1);
    send.token(chain.contracts.otherToken, { address: 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH', units: 1n });
    chain.mine(22);
    for (const { behaviour } of nodes) behaviour.lacksLogsOf = () => true;
    expect(await problem()).toBe('INVALID_RESPONSE');
  });
});

describe('a source that fails', () => {
  it.each<[string, Partial<Behaviour>, string]>([
    ['is a page of a load balancer', { page: 'HTML' }, 'DOWN'],
    ['is empty', { page: 'EMPTY' }, 'DOWN'],
    ['is closed', { page: 'CLOSED' }, 'DOWN'],
    ['refuses inside of a response of status 200', { throttling: 'ERROR' }, 'THROTTLED'],
    ['suspends the key', { throttling: 'FORBIDDEN' }, 'THROTTLED'],
    ['has JSON-RPC turned off', { disabled: new Set(['/jsonrpc']) }, 'INVALID_RESPONSE'],
    ['is a lite node', { firstHeight: 1_000_000 }, 'PRUNED'],
    ['is of a test network', { chainId: 3_448_148_188 }, 'INVALID_RESPONSE'],
    ['lags', { blocksBehind: 30 }, 'LAGGING'],
  ])('%s: the others are used, and without another one nothing is read', async (_, behaviour, reason) => {
    for (const sources of [2, 3]) {
      const { chain, nodes, addresses, observer, send, problem, makeFinal, createWatcher } = await openTron({
        sources,
      });
      const [address] = addresses;
      Object.assign(nodes[0]!.behaviour, behaviour);
      observer.restart(createWatcher());
      send.trx({ address, units: UNITS });
      send.usdt({ address, units: UNITS });
      chain.mine(4);
      expect(await problem()).toBe(sources === 2 ? reason : undefined);
      expect(observer.includedUnits(address)).toBe(sources === 2 ? 0n : 2n * UNITS);
      nodes[0]!.behaviour = nodes[1]!.behaviour;
      vi.advanceTimersByTime(60_000);
      await makeFinal();
      expect(observer.finalUnits(address)).toBe(2n * UNITS);
    }
  });

  it('with 403, then an error in 200, then no logs: paid exactly once after it has recovered', async () => {
    const { chain, nodes, addresses, observer, send, problem, makeFinal } = await openTron();
    const [address] = addresses;
    send.usdt({ address, units: UNITS });
    for (const [changes, reason] of [
      [{ throttling: 'FORBIDDEN' }, 'THROTTLED'],
      [{ throttling: 'ERROR' }, 'THROTTLED'],
      [{ throttling: 'NONE', lacksLogsOf: () => true }, 'INVALID_RESPONSE'],
    ] as const) {
      for (const { behaviour } of nodes) Object.assign(behaviour, changes);
      // Longer than it pauses after a refusal; then the index is checked again.
      vi.advanceTimersByTime(11 * 60_000);
      chain.mine(8);
      expect(await problem()).toBe(reason);
      expect(observer.paymentsTo(address)).toEqual([]);
    }
    for (const { behaviour } of nodes) behaviour.lacksLogsOf = () => false;
    await makeFinal();
    expect(observer.finalTo(address)).toHaveLength(1);
  });

  it('is asked for smaller ranges of logs if it refuses large ones', async () => {
    const { nodes, addresses, observer, send, chain } = await openTron();
    const [address] = addresses;
    send.usdt({ address, units: UNITS });
    chain.mine(60);
    for (const { behaviour } of nodes) behaviour.logHeightsMax = 7;
    vi.advanceTimersByTime(1000);
    await observer.catchUp();
    expect(observer.finalTo(address)).toHaveLength(1);
  });

  it('is asked for its network once, and again after each failure', async () => {
    const { chain, nodes, problem } = await openTron();
    const [first] = nodes;
    const asked = () => first!.calls.filter((call) => call === 'eth_chainId').length;
    chain.mine();
    vi.advanceTimersByTime(1000);
    await problem();
    expect(asked()).toBe(1);
    first!.behaviour.page = 'HTML';
    expect(await problem()).toBe('DOWN');
    first!.behaviour.page = 'NONE';
    vi.advanceTimersByTime(1000);
    await problem();
    expect(asked()).toBe(2);
  });
});

describe('providers’ own lists of events', () => {
  it('are never asked for, only the paths of java-tron', async () => {
    const { nodes, addresses, send, makeFinal, watcher, observer } = await openTron();
    const [address] = addresses;
    send.trx({ address, units: UNITS });
    send.usdt({ address, units: UNITS });
    await makeFinal();
    for (const payment of observer.finalTo(address)) expect(await watcher.confirm(payment, signal)).toBe(true);
    expect(new Set(nodes.flatMap(({ calls }) => calls))).toEqual(
      new Set([
        'eth_chainId',
        'eth_getLogs',
        'eth_getTransactionReceipt',
        '/wallet/getblock',
        '/wallet/getblockbylimitnext',
        '/walletsolidity/getblock',
        '/walletsolidity/gettransactioninfobyid',
      ]),
    );
  });
});

/**
 * What the operator asks sources of TRON for: whether they have all that is needed, sweeps, balances, and reading again.
 * @module-tag thorough
 */
import { describe, expect, it } from 'vitest';
import type { Behaviour } from '../../../../test/chains/tron/behaviour.ts';
import { encode } from '../../../../test/chains/tron/contracts.ts';
import { openTron } from '../../../../test/chains/tron/open-tron.ts';
import { holdingsFileSchema } from '../../holdings-file.ts';
import { encodeTronAddress } from '../../derive/tron-address.ts';
import { toHexAddress } from './network.ts';

const UNITS = 25_000_000n;
const signal = new AbortController().signal;

describe('a check', () => {
  it('asks each source for everything that will be needed', async () => {
    const { nodes, watcher } = await openTron();
    const findings = await watcher.check(signal);
    expect(findings.filter(({ isOk }) => !isOk)).toEqual([]);
    expect(new Set(findings.map(({ source }) => source)).size).toBe(nodes.length);
    expect(findings.map(({ need }) => need).slice(0, 8)).toEqual([
      'newest block',
      'blocks with transactions',
      'blocks that prove themselves',
      'eth_getLogs and receipts',
      'balances',
      'contract of USDT',
      'state of USDT',
      'blocks of yesterday',
    ]);
  });

  it.each<[string, Partial<Behaviour>, string, RegExp]>([
    ['of a test network', { chainId: 3_448_148_188 }, 'newest block', /serves the network 3448148188/],
    ['that lags', { blocksBehind: 40 }, 'newest block', /lags/],
    [
      'that changes transactions',
      { changeBlock: (block) => ({ ...block, transactions: [] }) },
      'blocks that prove themselves',
      /not \d+.*two sources must agree/,
    ],
    ['without an index', { lacksLogsOf: () => true }, 'eth_getLogs and receipts', /index of logs is missing/],
    [
      'with the index turned off',
      { disabled: new Set(['/jsonrpc']) },
      'newest block',
      /does not serve eth_chainId: enable it/,
    ],
    ['that is a lite node', { firstHeight: 10 }, 'blocks of yesterday', /openHistoryQueryWhenLiteFN/],
    ['without receipts', { changeReceipt: () => undefined }, 'eth_getLogs and receipts', /receipt of .* is missing/],
    [
      'without the path of balances',
      { disabled: new Set(['/walletsolidity/getaccount']) },
      'balances',
      /does not serve \/walletsolidity\/getaccount/,
    ],
  ])('says what is wrong with a source %s', async (_, behaviour, need, sentence) => {
    const { nodes, watcher, createWatcher } = await openTron();
    Object.assign(nodes[1]!.behaviour, behaviour);
    const findings = await createWatcher().check(signal);
    const name = new URL(nodes[1]!.url).host;
    const failed = findings.filter(({ isOk }) => !isOk);
    expect(failed).toMatchObject([{ source: name, need, sentence: expect.stringMatching(sentence) }]);
    expect(watcher.balanceLimits.addressesMax).toBeGreaterThan(0);
  });

  it('finds a contract that is not USDT', async () => {
    const usdtContract = encodeTronAddress(Buffer.from(`41${'c'.repeat(40)}`, 'hex'));
    const { watcher } = await openTron({ usdtContract, addresses: 0 });
    const failed = (await watcher.check(signal)).find(({ isOk }) => !isOk);
    expect(failed).toMatchObject({ need: 'contract of USDT', sentence: expect.stringContaining('is no token') });
  });
});

describe('the list for sweeps', () => {
  it('has what a signature needs: a reference block, prices, resources, and what is frozen', async () => {
    const { chain, addresses, send, watcher, makeFinal } = await openTron({ addresses: 3 });
    const [onlyToken, frozen, both] = addresses as unknown as [string, string, string];
    for (const address of [onlyToken, frozen, both]) send.usdt({ address, units: UNITS });
    send.trx({ address: both, units: 7_000_000n });
    send.call(chain.contracts.usdt, encode.addBlackList(toHexAddress(frozen)));
    await makeFinal();
    const held = addresses.map((address, index) => {
      return { account: 'abc', index, address, assets: [{ asset: 'USDT' as const, units: String(UNITS) }] };
    });
    const described = await watcher.describeHoldings(held, signal);
    const file = { kind: 'cellhop-holdings', version: 1, madeAt: new Date().toISOString(), chains: [described] };
    expect(holdingsFileSchema.parse(file).chains[0]).toEqual(described);
    const solid = chain.blocks[chain.solidHeight]!;
    const token = { asset: 'USDT', contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', units: String(UNITS) };
    const rest = { account: 'abc', energy: 0, notes: [] };
    const notes = [expect.stringContaining('has frozen this address')];
    expect(described).toEqual({
      chain: 'tron',
      referenceBlock: { height: solid.height, id: solid.id, time: new Date(solid.timeMs).toISOString() },
      fee: { energyPrice: '100', bandwidthPrice: '1000', energyFactor: 34_000 },
      addresses: [
        { ...rest, index: 0, address: onlyToken, isActivated: false, bandwidth: 0, assets: [token] },
        { ...rest, index: 1, address: frozen, isActivated: false, bandwidth: 0, assets: [token], notes },
        {
          ...rest,
          index: 2,
          address: both,
          isActivated: true,
          bandwidth: 600,
          assets: [{ asset: 'TRX', units: '7000000' }, token],
        },
      ],
    });
  });
});

describe('balances', () => {
  it('are those of one solid block, whichever source lags', async () => {
    const { chain, nodes, addresses, send, watcher, makeFinal } = await openTron();
    const [a, b] = addresses;
    send.trx({ address: a, units: UNITS });
    send.usdt({ address: b, units: UNITS });
    await makeFinal();
    expect(await watcher.balances('TRX', addresses, signal)).toEqual({
      height: chain.solidHeight,
      units: new Map([
        [a, UNITS],
        [b, 0n],
      ]),
    });
    expect((await watcher.balances('USDT', addresses, signal)).units.get(b)).toBe(UNITS);
    nodes[0]!.behaviour.changeBalance = (units) => units + 1n;
    await expect(watcher.balances('USDT', addresses, signal)).rejects.toMatchObject({ reason: 'DISAGREEING' });
  });

  it('are asked for at a pace that providers accept', async () => {
    const { addresses, watcher } = await openTron({ requestsPerSecond: 50, addresses: 10 });
    const startedAtMs = performance.now();
    await watcher.balances('TRX', addresses, signal);
    // The last of ten requests to each of two sources.
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual((2 * 9 * 1000) / 50 - 5);
  });
});

describe('a rescan', () => {
  it('begins after a solid block, and reports what is known already under the same key', async () => {
    const { chain, addresses, observer, send, watcher, makeFinal } = await openTron();
    const [address] = addresses;
    const { height } = chain.head;
    send.usdt({ address, units: UNITS });
    await makeFinal();
    await makeFinal();
    const cursor = await watcher.cursorAt(height, signal);
    const { payments } = await watcher.poll(cursor, new Set(addresses), signal);
    expect(payments).toEqual(observer.finalTo(address));
    await expect(watcher.cursorAt(chain.head.height, signal)).rejects.toMatchObject({ reason: 'LAGGING' });
  });
});

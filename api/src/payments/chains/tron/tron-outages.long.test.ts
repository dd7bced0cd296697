/**
 * What takes time: blocks that do not become solid, outages, sources that fail again and again, and several workers.
 * @module-tag long
 */
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { randomTronAddress } from '../../../../test/chains/tron/local-tron.ts';
import { openTron } from '../../../../test/chains/tron/open-tron.ts';

const UNITS = 25_000_000n;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.advanceTimersByTime(1);
});
afterEach(() => void vi.useRealTimers());

describe('blocks that do not become solid', () => {
  it('for ten minutes credit nothing and lose nothing', async () => {
    const { chain, addresses, observer, send, makeFinal, advance } = await openTron();
    const [a, b] = addresses;
    await advance(4);
    chain.activeWitnesses = 18;
    // What was made before becomes solid.
    await advance(20);
    const { finalizedHeight } = observer.lastPoll().head;
    send.trx({ address: a, units: UNITS });
    send.usdt({ address: b, units: UNITS });
    await advance(200);
    expect([a, b].map(observer.includedUnits)).toEqual([UNITS, UNITS]);
    expect([a, b].map(observer.finalUnits)).toEqual([0n, 0n]);
    expect(observer.lastPoll().head.finalizedHeight! - finalizedHeight!).toBeLessThan(20);
    chain.activeWitnesses = 27;
    chain.mine(27);
    await makeFinal();
    expect([a, b].map((address) => observer.finalTo(address).length)).toEqual([1, 1]);
  });

  it('for longer than blocks are remembered stop the reading, and it goes on afterwards', async () => {
    const { chain, addresses, observer, send, makeFinal, advance } = await openTron();
    const [address] = addresses;
    chain.activeWitnesses = 18;
    await advance(200);
    send.usdt({ address, units: UNITS });
    chain.mine(130);
    await expect(observer.catchUp()).rejects.toMatchObject({ reason: 'LAGGING' });
    chain.activeWitnesses = 27;
    chain.mine(30);
    await makeFinal();
    expect(observer.finalTo(address)).toHaveLength(1);
  });
});

describe('time', () => {
  it('two workers that continue from the same cursor find the same, once', async () => {
    const { chain, addresses, observer, send, createWatcher, makeFinal } = await openTron();
    const [a, b] = addresses;
    const watchers = [createWatcher(), createWatcher()];
    for (let poll = 0; poll < 10; poll += 1) {
      send.usdt({ address: a, units: 1n });
      send.trx({ address: b, units: 1n });
      chain.mine(3);
      observer.restart(watchers[poll % 2]!);
      await observer.poll();
    }
    await makeFinal();
    expect([a, b].map((address) => observer.finalTo(address).length)).toEqual([10, 10]);
  });

  it('20 minutes without a worker, with the transactions of others between two of ours', async () => {
    const { chain, addresses, observer, send, makeFinal } = await openTron();
    const [address] = addresses;
    const others = Array.from({ length: 20 }, randomTronAddress);
    send.usdt({ address, units: 1n });
    for (let index = 0; index < 1000; index += 1) {
      send.trx({ address: others[index % others.length]!, units: 1n });
      if (index % 10 === 0) chain.mine(2);
    }
    chain.mine(200);
    send.trx({ address, units: 2n });
    await makeFinal();
    expect(observer.finalUnits(address)).toBe(3n);
  });

  it('an hour in which one of two sources fails every 20 seconds', async () => {
    const { chain, nodes, addresses, observer, send, problem, makeFinal } = await openTron({ addresses: 60 });
    const steps = 360;
    let failures = 0;
    for (let step = 0; step < steps; step += 1) {
      const address = (addresses as string[])[step % 60]!;
      send[step % 2 === 0 ? 'usdt' : 'trx']({ address, units: BigInt(step + 1) });
      chain.mine(step % 3 === 0 ? 4 : 3);
      nodes[0]!.behaviour.page = step % 4 < 2 ? 'CLOSED' : 'NONE';
      vi.advanceTimersByTime(10_000);
      if ((await problem()) !== undefined) failures += 1;
    }
    expect(failures).toBe(steps / 2);
    nodes[0]!.behaviour.page = 'NONE';
    await makeFinal();
    const found = (addresses as string[]).flatMap(observer.finalTo).map(({ units }) => Number(units));
    expect(found.toSorted((a, b) => a - b)).toEqual(Array.from({ length: steps }, (_, step) => step + 1));
  });

  it('a day without a worker', async () => {
    const { chain, addresses, observer, send, createWatcher } = await openTron();
    const [address] = addresses;
    const blocks = 28_800;
    // The node must be able to close idle connections meanwhile.
    const mine = async (count: number) => {
      for (let mined = 0; mined < count; mined += 100) {
        chain.mine(100);
        await setImmediate();
      }
    };
    send.usdt({ address, units: 1n });
    await mine(blocks / 2);
    send.trx({ address, units: 2n });
    await mine(blocks / 2);
    send.usdt({ address, units: 3n });
    chain.mine(30);
    observer.restart(createWatcher());
    const polls = await observer.catchUp();
    expect(polls).toBeLessThanOrEqual(blocks / 100 + 3);
    expect(observer.finalTo(address).map(({ units }) => Number(units))).toEqual([1, 2, 3]);
    const [first] = observer.finalTo(address);
    expect(chain.now().getTime() - first!.arrivedAt.getTime()).toBeGreaterThan(blocks * 3000);
  });
});

/**
 * Two of three sources lie alike: what a further, honest one shows is missed by nobody for longer than a quarter of an hour.
 * @module-tag long
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openEvm } from '../../../test/chains/generated-evm.ts';
import { startHostileProxy } from '../../../test/chains/hostile-proxy.ts';
import type { GeneratedChain } from '../../../test/chains/hostile-sources.ts';
import { createObserver } from '../../../test/chains/observer.ts';
import { openGeneratedTron } from '../../../test/chains/tron/generated-tron.ts';
import { createRandom } from '../../../../tools/random.ts';
import { CONTRADICTION } from './sources.ts';

const STEP_MS = 5 * 60_000 + 1;
const ends: (() => unknown)[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.advanceTimersByTime(1);
});
afterEach(async () => {
  vi.useRealTimers();
  for (const end of ends.splice(0)) await end();
});

async function openLied(open: () => Promise<GeneratedChain>) {
  const chain = await open();
  const liars = await Promise.all(chain.urls.slice(0, 2).map((url) => startHostileProxy(url, chain.elsewhere)));
  ends.push(chain.end, ...liars.map(({ close }) => close));
  const honest = chain.urls[2]!;
  const watcher = chain.createWatcher([...liars.map(({ url }) => url), honest]);
  const observer = createObserver(watcher, chain.addresses, chain.isFinal);
  await observer.poll();
  const random = createRandom(7);
  /** @returns what the operator is told about it; a failure names the sources, too */
  const step = async (): Promise<string[]> => {
    chain.advance(random);
    chain.makeFinal();
    vi.advanceTimersByTime(STEP_MS);
    try {
      await observer.catchUp();
      return (observer.lastPoll().warnings ?? []).filter((text) => text.startsWith(CONTRADICTION));
    } catch (error) {
      return [(error as Error).message];
    }
  };
  const missing = () => {
    const found = new Set(observer.allFinal().map(({ transactionId, output }) => `${transactionId} ${output}`));
    return chain.truths().filter(({ transactionId, output }) => !found.has(`${transactionId} ${output}`));
  };
  const lie = (name: string | undefined) => {
    for (const liar of liars)
      liar.mood = name === undefined ? undefined : { lie: chain.lies[name]!, topic: undefined, percent: 100, seed: 1 };
  };
  return { step, missing, lie, honest: new URL(honest).host, observer, chain };
}

describe.each<[string, () => Promise<GeneratedChain>]>([
  ['BSC', () => openEvm('bsc', 56)],
  ['TRON', openGeneratedTron],
])('%s, whose two sources hide payments', (_, open) => {
  it.each([
    ['10 minutes and 1 s', 2],
    ['an hour', 12],
  ])('for %s: the operator is told, and everything arrives within an honest hour', async (_name, steps) => {
    const { step, missing, lie, honest } = await openLied(open);
    lie('hides what we were paid');
    let untold = 0;
    for (let count = 0; count < steps; count += 1) {
      const told = (await step()).some((text) => text.includes(honest));
      untold = told || missing().length === 0 ? 0 : untold + 1;
      expect(untold).toBeLessThan(3);
    }
    lie(undefined);
    for (let count = 0; count < 12; count += 1) await step();
    expect(missing()).toEqual([]);
    expect(await step()).toEqual([]);
  });
});

it('hidden transactions of ether, which a balance has shown, are named and not credited again', async () => {
  const { step, lie, honest, observer, chain } = await openLied(() => openEvm('ethereum', 1));
  lie('hides what we were paid');
  const told: string[] = [];
  for (let count = 0; count < 6; count += 1) told.push(...(await step()));
  expect(told.filter((text) => text.includes(honest)).length).toBeGreaterThan(0);
  lie(undefined);
  for (let count = 0; count < 6; count += 1) await step();
  for (const address of chain.addresses)
    for (const asset of ['ETH', 'USDT']) {
      const sumOf = (payments: readonly { asset: string; address: string; units: bigint }[]) =>
        payments.reduce((sum, one) => sum + (one.asset === asset && one.address === address ? one.units : 0n), 0n);
      expect(sumOf(observer.allFinal())).toBeLessThanOrEqual(sumOf(chain.truths()));
    }
});

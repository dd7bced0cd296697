/**
 * Lies that last for ten minutes, an hour, and for ever, also about what is no payment: no chain is green for longer than 15 minutes while a
 * payment is missing that one honest source serves, and an honest hour later everything that was paid is reported, once.
 * @module-tag long
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRandom } from '../../../tools/random.ts';
import { ChainUnavailable } from '../../src/payments/chains/watcher.ts';
import { openEvm } from './generated-evm.ts';
import { openUtxo } from './generated-utxo.ts';
import { type Lie, startHostileProxy } from './hostile-proxy.ts';
import type { GeneratedChain, Truth } from './hostile-sources.ts';
import { generalLies } from './lies.ts';
import { createObserver } from './observer.ts';
import { openGeneratedTron } from './tron/generated-tron.ts';

const MINUTE_MS = 60_000;
const STEP_MS = 5 * MINUTE_MS + 1;
const HONEST_STEPS = 12;
const GREEN_STEPS_MAX = 3;

/** In steps. */
const durations = { '10 minutes and 1 s': 3, 'an hour': 12, ever: 5 } as const;
type Duration = keyof typeof durations;
/** How many sources there are, and how many of them lie. */
const sets = { 'one of two': [2, 1], 'one of three': [3, 1], 'two of three': [3, 2] } as const;
type SetName = keyof typeof sets;

/** @param change of each object of an answer to one of the topics */
const about =
  (topics: string, change: (value: Record<string, unknown>) => Record<string, unknown>): Lie =>
  ({ topic, payload }) =>
    topics.split(' ').includes(topic)
      ? (JSON.parse(JSON.stringify(payload ?? null), (_key, value: unknown) =>
          typeof value === 'object' && value !== null && !Array.isArray(value)
            ? change(value as Record<string, unknown>)
            : value,
        ) as unknown)
      : (payload ?? null);
const without =
  (...topics: string[]): Lie =>
  ({ topic, payload }) =>
    topics.includes(topic) ? [] : (payload ?? null);
const withChange = (key: string, value: unknown) => (one: Record<string, unknown>) =>
  key in one ? { ...one, [key]: value } : one;

const evmLies: Record<string, Lie> = {
  'says that transactions have failed': about('eth_getTransactionReceipt', withChange('status', '0x0')),
  'says that logs were removed': about('eth_getLogs', withChange('removed', true)),
  'says that nothing was sent': about('eth_getLogs eth_getBlockByNumber', (one) => ({
    ...withChange('data', `0x${'0'.repeat(64)}`)(one),
    ...('value' in one && { value: '0x0' }),
  })),
  'says that contracts were created': about('eth_getBlockByNumber', withChange('to', null)),
  'has no logs': without('eth_getLogs'),
};
/** The newest blocks arrive, and what was asked before about final ones is answered as it was. */
const finalStandsStill =
  (asked: RegExp): Lie =>
  ({ topic, body, payload, earlier }) =>
    (asked.test(topic + body) ? earlier : payload) ?? null;
const stillEvm = { 'has no newer final block': finalStandsStill(/^eth_getBlockByNumber.*"(?:safe|finalized)"/) };
const stillTron = { 'has no newer solid block': finalStandsStill(/^\/walletsolidity\/getblock\{"detail":false/) };
const tronLies: Record<string, Lie> = {
  'says that transactions have failed': about('/wallet/getblockbylimitnext', withChange('contractRet', 'REVERT')),
  'says that nothing was sent': about(
    'eth_getLogs eth_getTransactionReceipt',
    withChange('data', `0x${'0'.repeat(64)}`),
  ),
  'has no logs': without('eth_getLogs'),
  'has receipts without logs': about('eth_getTransactionReceipt', withChange('logs', [])),
  'has no transactions': about('/wallet/getblockbylimitnext', withChange('transactions', [])),
};
const utxoLies: Record<string, Lie> = {
  'has an empty pool': without('getrawmempool'),
  'sends parts of blocks': ({ topic, payload }) =>
    topic === 'getblock' ? (payload as string).slice(0, -64) : (payload ?? null),
};

const bitcoin = () => openUtxo('bitcoin', 'bc', ['bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu']);
const litecoin = () => openUtxo('litecoin', 'ltc', ['ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh']);
const hidesConsistently: Lie = async ({ askElsewhere }) => (await askElsewhere()) ?? null;

const ethereumLies = { 'hides all payments, also in balances': hidesConsistently, ...evmLies };
const chains: [string, () => Promise<GeneratedChain>, Record<string, Lie>, still?: Record<string, Lie>][] = [
  ['Ethereum', () => openEvm('ethereum', 1), ethereumLies, stillEvm],
  ['BSC', () => openEvm('bsc', 56), evmLies, stillEvm],
  ['TRON', openGeneratedTron, tronLies, stillTron],
  ['Bitcoin', bitcoin, utxoLies],
  ['Litecoin', litecoin, utxoLies],
];

const ends: (() => unknown)[] = [];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.advanceTimersByTime(1);
});
afterEach(async () => {
  vi.useRealTimers();
  for (const end of ends.splice(0)) await end();
});

async function openLied(open: () => Promise<GeneratedChain>, set: SetName) {
  const chain = await open();
  ends.push(chain.end);
  const [count, lying] = sets[set];
  const liars = await Promise.all(
    chain.urls.slice(0, lying).map((url) => startHostileProxy(url, chain.hiding ?? chain.elsewhere)),
  );
  ends.push(...liars.map(({ close }) => close));
  const urls = [...liars.map(({ url }) => url), ...chain.urls.slice(lying, count)];
  const observer = createObserver(chain.createWatcher(urls), chain.addresses, chain.isFinal);
  await observer.poll();
  const random = createRandom(7);
  /** @returns whether the operator is told nothing */
  const isGreen = async (): Promise<boolean> => {
    chain.advance(random);
    chain.makeFinal();
    vi.advanceTimersByTime(STEP_MS);
    try {
      await observer.catchUp();
      return (observer.lastPoll().warnings ?? []).length === 0;
    } catch (error) {
      if (error instanceof ChainUnavailable) return false;
      throw error;
    }
  };
  const missing = (): Truth[] => {
    const paid = new Map<string, bigint>();
    for (const { asset, address, units } of observer.allFinal()) {
      const key = `${asset} ${address}`;
      paid.set(key, (paid.get(key) ?? 0n) + units);
    }
    // By address: ether that a balance has shown before its transaction has another key.
    return chain.truths().filter((truth) => {
      const key = `${truth.asset} ${truth.address}`;
      const left = (paid.get(key) ?? 0n) - truth.units;
      paid.set(key, left);
      return left < 0n;
    });
  };
  return { chain, liars, urls, observer, isGreen, missing };
}

const sumOf = (payments: readonly { units: bigint }[]) => payments.reduce((sum, { units }) => sum + units, 0n);

/** @returns whether it was green for too long while a payment was missing; and what is missing or too much after an honest hour */
async function lieFor(open: () => Promise<GeneratedChain>, set: SetName, duration: Duration, lie?: Lie) {
  const { chain, liars, urls, observer, isGreen, missing } = await openLied(open, set);
  const told = lie ?? chain.lies['hides what we were paid']!;
  for (const liar of liars) liar.mood = { lie: told, topic: undefined, percent: 100, seed: 1 };
  let [greenSteps, longest] = [0, 0];
  for (let step = 0; step < durations[duration]; step += 1) {
    greenSteps = (await isGreen()) && missing().length > 0 ? greenSteps + 1 : 0;
    longest = Math.max(longest, greenSteps);
  }
  const isTooLong = longest > GREEN_STEPS_MAX;
  if (duration === 'ever') return { isTooLong, missing: [], surplus: 0n };
  for (const liar of liars) liar.mood = undefined;
  // A restart forgets what was found to be different.
  observer.restart(chain.createWatcher(urls));
  for (let step = 0; step < HONEST_STEPS; step += 1) if ((await isGreen()) && missing().length === 0) break;
  return { isTooLong, missing: missing(), surplus: sumOf(observer.allFinal()) - sumOf(chain.truths()) };
}

const nothing = { isTooLong: false, missing: [], surplus: 0n };
const names = { sets: Object.keys(sets) as SetName[], durations: Object.keys(durations) as Duration[] };
const general = ['is silent in good form', 'refuses', 'breaks off'];

describe.each(chains)('%s', (_, open, lies, still = {}) => {
  describe.each(names.sets)('%s', (set) => {
    it.each(names.durations)('hides what we were paid for %s', async (duration) => {
      expect(await lieFor(open, set, duration)).toEqual(nothing);
    });

    it.each(Object.entries({ 'stands still': generalLies['repeats the past']!, ...still }))(
      '%s for an hour',
      async (_name, lie) => {
        expect(await lieFor(open, set, 'an hour', lie)).toEqual(nothing);
      },
    );
  });

  const rotated = Object.entries({
    ...lies,
    ...Object.fromEntries(general.map((name) => [name, generalLies[name]!])),
  }).map(([name, lie], index) => ({
    set: names.sets[(index + 2) % 3]!,
    name,
    duration: names.durations[index % 2]!,
    lie,
  }));
  it.each(rotated)('$set $name for $duration', async ({ set, duration, lie }) => {
    expect(await lieFor(open, set, duration, lie)).toEqual(nothing);
  });
});

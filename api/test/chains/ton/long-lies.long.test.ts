/**
 * Lies that last longer than windows overlap: no source is green for longer than 15 minutes while a payment is missing that one honest
 * source serves, and an honest hour later everything that was paid is reported, once.
 */
import type { Address } from '@ton/core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { CONTRADICTION } from '../../../src/payments/chains/sources.ts';
import { ChainUnavailable } from '../../../src/payments/chains/watcher.ts';
import { type Behaviour, honest } from './behaviour.ts';
import { type Facade, startFacade } from './facade.ts';
import { type MinedTransaction, TON } from './ton-chain.ts';
import { startTwoSources, type TwoSources } from './two-sources.ts';
import type { PrintedTransaction } from './v3-printing.ts';

/** More than version 2 is asked for at once before the cursor passes. */
const ADDRESSES = 40;
const BLOCKS_PER_POLL = 6;
const POLL_SECONDS = 10 * BLOCKS_PER_POLL;
const MINUTE = 60;
const durations: [string, number, boolean][] = [
  ['10 minutes and 1 second', 10 * MINUTE + 1, true],
  ['an hour', 60 * MINUTE, true],
  ['ever', 30 * MINUTE, false],
];

let ton: TwoSources;
let other: Facade;
beforeAll(async () => {
  ton = await startTwoSources();
  other = await startFacade(ton.chain);
});
afterAll(() => Promise.all([ton.close(), other.close()]));
afterEach(() => {
  vi.useRealTimers();
  for (const facade of [ton.index, ton.node, other]) facade.behaviour = honest();
});

type Lie = (isPaid: (one: { account: string }) => boolean) => Partial<Behaviour>;
const change =
  (changed: (printed: PrintedTransaction) => object): Lie =>
  (isPaid) => ({
    changeTransaction: (printed, one) => (isPaid(one) ? { ...printed, ...changed(printed) } : printed),
  });
const message = (changed: object) => change(({ in_msg }) => ({ in_msg: { ...in_msg, ...changed } }));

const lies: [string, Lie][] = [
  ['hides the payment', (isPaid) => ({ lacks: (one: MinedTransaction) => isPaid(one), hasOldStates: true })],
  ['says that it waits', change(() => ({ finality: 'pending' }))],
  [
    'says that it waits, and has old states',
    (isPaid) => ({ ...change(() => ({ finality: 'confirmed' }))(isPaid), hasOldStates: true }),
  ],
  ['says that it bounced', message({ bounced: true })],
  ['says that it has no value', message({ value: '0' })],
  ['says that it came from outside', message({ source: null })],
];

type Watching = Awaited<ReturnType<TwoSources['watch']>>;

/** @returns whether the poll names a source */
async function pollOnce({ observer }: Watching): Promise<boolean> {
  ton.chain.mine(BLOCKS_PER_POLL);
  try {
    const { warnings = [] } = await observer.poll();
    return warnings.length > 0;
  } catch (error) {
    if (error instanceof ChainUnavailable) return true;
    throw error;
  }
}

const sets: [string, () => readonly string[]][] = [
  ['of two sources', () => ton.urls],
  ['of three sources', () => [...ton.urls, other.url]],
  ['beside two sources without an index', () => [...ton.urls, other.urlOfV2]],
];
/** Each lie with each set of sources; the durations take turns. */
const cases = sets.flatMap(([set, urls], setIndex) =>
  lies.map(([name, lie], index) => {
    const [duration, seconds, isHonestThen] = durations[(index + setIndex) % durations.length]!;
    return { set, urls, name, lie, duration, seconds, isHonestThen };
  }),
);

describe('the index', () => {
  it.each(cases)('$set $name for $duration', { tags: ['long'] }, async ({ urls, lie, seconds, isHonestThen }) => {
    const watching = await ton.watch(ADDRESSES, { urls: urls(), requestsPerSecond: 10_000 });
    const [coins, tokens] = watching.addresses as [Address, Address];
    const accounts = new Set([coins.toRawString(), ton.chain.walletOf(tokens).toRawString()]);
    Object.assign(
      ton.index.behaviour,
      lie(({ account }) => accounts.has(account)),
    );
    await ton.chain.send({ to: coins, value: TON }, ton.chain.tokenTransfer(tokens, 5n));
    const reported = () => [coins, tokens].map(watching.unitsOf);
    const isReported = () => reported().every((units) => units.length > 0);
    let greenSeconds = 0;
    for (let passed = 0; passed < seconds; passed += POLL_SECONDS)
      if (!(await pollOnce(watching)) && !isReported()) greenSeconds += POLL_SECONDS;
    expect(greenSeconds).toBeLessThanOrEqual(15 * MINUTE);
    if (isHonestThen) ton.index.behaviour = honest();
    // A restart forgets what was found missing.
    watching.observer.restart(ton.createWatcher({ urls: urls() }));
    const honestSeconds = isHonestThen ? 60 * MINUTE : 0;
    for (let passed = 0; passed < honestSeconds && !isReported(); passed += POLL_SECONDS) await pollOnce(watching);
    // Two without an index show what it hides; what it says in other words than they do stops the chain.
    const isFound =
      isHonestThen || urls().includes(other.url) || (urls().length > 2 && ton.index.behaviour.hasOldStates);
    expect(reported()).toEqual(isFound ? [[TON], [5n]] : [[], []]);
  });
});

it(
  'two of three that hide a payment together are noticed by the third, and others are paid meanwhile',
  { tags: ['long'] },
  async () => {
    const watching = await ton.watch(ADDRESSES, { urls: [...ton.urls, other.url] });
    const [hidden, shown] = watching.addresses as [Address, Address];
    for (const { behaviour } of [ton.index, other])
      Object.assign(behaviour, {
        lacks: ({ account }: MinedTransaction) => account === hidden.toRawString(),
        hasOldStates: true,
      });
    await ton.chain.send({ to: hidden, value: TON }, { to: shown, value: 2n * TON });
    let greenSeconds = 0;
    for (let passed = 0; passed < 30 * MINUTE; passed += POLL_SECONDS)
      if (!(await pollOnce(watching))) greenSeconds += POLL_SECONDS;
    expect(greenSeconds).toBeLessThanOrEqual(15 * MINUTE);
    expect([hidden, shown].map(watching.unitsOf)).toEqual([[], [2n * TON]]);
    ton.chain.mine(BLOCKS_PER_POLL);
    const { warnings } = await watching.observer.poll();
    expect(warnings).toContainEqual(expect.stringContaining(CONTRADICTION));
    for (const facade of [ton.index, other]) facade.behaviour = honest();
    for (let polls = 0; polls < 20; polls += 1) await pollOnce(watching);
    expect([hidden, shown].map(watching.unitsOf)).toEqual([[TON], [2n * TON]]);
  },
);

it('two of three that stand still together are named', { tags: ['long'] }, async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const watching = await ton.watch(ADDRESSES, {
    urls: [ton.index.url, other.url, ton.node.urlOfV2],
    requestsPerSecond: 10_000,
    // Their blocks say that they are new.
    now: () => new Date(0),
  });
  const [address] = watching.addresses as [Address];
  await ton.chain.send({ to: address, value: TON });
  let greenSeconds = 0;
  for (let passed = 0; passed < 20 * MINUTE; passed += POLL_SECONDS) {
    for (const { behaviour } of [ton.index, other]) behaviour.blocksBehind += BLOCKS_PER_POLL;
    vi.advanceTimersByTime(POLL_SECONDS * 1000);
    if (!(await pollOnce(watching))) greenSeconds += POLL_SECONDS;
  }
  expect(greenSeconds).toBeLessThanOrEqual(15 * MINUTE);
  const { warnings } = watching.observer.lastPoll();
  expect(warnings).toContainEqual(expect.stringContaining(CONTRADICTION));
  for (const facade of [ton.index, other]) facade.behaviour = honest();
  for (let polls = 0; polls < 20; polls += 1) await pollOnce(watching);
  expect(watching.unitsOf(address)).toEqual([TON]);
});

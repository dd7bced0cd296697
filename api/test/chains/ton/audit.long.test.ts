/**
 * What the polls have passed is asked of each source again: fairly, and with a warning where that takes too long.
 * @module-tag long
 */
import type { Address } from '@ton/core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { honest } from './behaviour.ts';
import { type Facade, startFacade } from './facade.ts';
import { type MinedTransaction, TON } from './ton-chain.ts';
import { startTwoSources, type TwoSources } from './two-sources.ts';

/** More than version 2 is asked for at once before the cursor passes. */
const ADDRESSES = 40;
const BLOCKS_PER_MINUTE = 6;

let ton: TwoSources;
let other: Facade;
beforeAll(async () => {
  ton = await startTwoSources();
  other = await startFacade(ton.chain);
});
afterAll(() => Promise.all([ton.close(), other.close()]));
afterEach(() => {
  for (const facade of [ton.index, ton.node, other]) facade.behaviour = honest();
});

type Watching = Awaited<ReturnType<TwoSources['watch']>>;

async function pollAfterMinutes({ observer }: Watching, minutes: number): Promise<readonly string[]> {
  let warnings: readonly string[] = [];
  for (let passed = 0; passed < minutes; passed += 1) {
    ton.chain.mine(BLOCKS_PER_MINUTE);
    warnings = (await observer.poll()).warnings ?? [];
  }
  return warnings;
}

const hides = (...hidden: Address[]) => {
  const accounts = new Set(hidden.map((address) => address.toRawString()));
  return { lacks: ({ account }: MinedTransaction) => accounts.has(account), hasOldStates: true };
};

it(
  'finds a hidden payment beside an address with more hidden ones than it can ask for, and says so',
  { timeout: 600_000 },
  async () => {
    const watching = await ton.watch(ADDRESSES, { urls: [...ton.urls, other.urlOfV2] });
    const [busy, quiet] = watching.addresses as [Address, Address];
    Object.assign(ton.index.behaviour, hides(busy, quiet));
    const small = Array.from({ length: 240 }, () => ({ to: busy, value: 1n }));
    await ton.chain.send(...small);
    await ton.chain.send(...small);
    await ton.chain.send({ to: quiet, value: TON });
    await pollAfterMinutes(watching, 8);
    expect(watching.unitsOf(quiet)).toEqual([TON]);
    const name = new URL(ton.node.url).host;
    expect(await pollAfterMinutes(watching, 9)).toContainEqual(
      `payments may be missing or invented: ${name} could not be asked about 1 of 80 accounts for more than 15 minutes`,
    );
    expect(await pollAfterMinutes(watching, 43)).toEqual([]);
    expect(watching.unitsOf(busy)).toHaveLength(2 * small.length);
  },
);

it(
  'ends each poll with a source that allows one request a second, whatever the number of addresses',
  { timeout: 600_000 },
  async () => {
    const watching = await ton.watch(ADDRESSES, { requestsPerSecond: 1 });
    const [paid] = watching.addresses as [Address];
    await ton.chain.send({ to: paid, value: TON });
    for (let polls = 0; polls < 2; polls += 1) {
      const before = ton.node.calls.length;
      await pollAfterMinutes(watching, 1);
      expect(ton.node.calls.length - before).toBeLessThanOrEqual(15);
    }
    expect(watching.unitsOf(paid)).toEqual([TON]);
  },
);

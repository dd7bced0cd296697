/**
 * Fields that a stranger controls: no value of them stops the chain, and none makes money.
 * @module-tag thorough
 */
import { Address, type Message } from '@ton/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRandom } from '../../../../tools/random.ts';
import { scaled } from '../../../../tools/test-scale.ts';
import { type Place, plainMessage, randomMessage, withMessage } from './stranger.ts';
import { TON } from './ton-chain.ts';
import { on, startTwoSources, type TwoSources } from './two-sources.ts';

const SEEDS = Array.from({ length: scaled(1, 8) }, (_, index) => index + 1);
const MESSAGES = 40;
const source = Address.parseRaw(`0:${'5a'.repeat(32)}`);

let ton: TwoSources;
beforeAll(async () => {
  ton = await startTwoSources();
});
afterAll(() => ton.close());

it.each(SEEDS)('whatever a stranger sends, what was paid is reported, seed %i', { tags: ['long'] }, async (seed) => {
  const random = createRandom(seed);
  const { chain } = ton;
  const { observer, addresses, unitsOf } = await ton.watch(1);
  const [owner] = addresses;
  const wallet = chain.walletOf(owner!);
  const [aborted] = on(owner!, await chain.send({ to: owner!, value: 1n }));
  const [accepted] = on(wallet, await chain.send(chain.tokenTransfer(owner!, 1n)));
  chain.mine();
  await observer.catchUp();
  const sent = new Map([
    [owner!, aborted!],
    [wallet, accepted!],
  ]);
  const insert = (to: Address, change: (place: Place) => Message) => {
    const place = { to, source, previous: sent.get(to)!, lt: chain.nextLt(), now: chain.head.time };
    const transaction = withMessage(sent.get(to)!, change(place), place);
    sent.set(to, transaction);
    chain.insert(transaction);
    return transaction.inMessage!;
  };
  let received = 1n;
  for (let index = 0; index < MESSAGES; index += 1) {
    const to = random.below(3) === 0 ? wallet : owner!;
    const { info } = insert(to, (place) => randomMessage(random, place));
    if (to === owner && info.type === 'internal') received += info.value.coins;
    if (random.below(4) > 0) continue;
    chain.mine();
    await observer.poll();
  }
  insert(owner!, (place) => plainMessage(place, 3n * TON));
  chain.mine(2);
  await observer.catchUp();
  const found = observer.finalTo(owner!.toString({ bounceable: false }));
  expect(found.filter(({ asset }) => asset === 'USDT').map(({ units }) => units)).toEqual([1n]);
  expect(unitsOf(owner!).at(-1)).toBe(3n * TON);
  const total = found.filter(({ asset }) => asset === 'TON').reduce((sum, { units }) => sum + units, 0n);
  expect(total).toBeLessThanOrEqual(received + 3n * TON);
  expect(total).toBeGreaterThan(3n * TON);
});

/**
 * What the first index calls no payment is asked of another source, too.
 * @module-tag thorough
 */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { honest } from './behaviour.ts';
import { type Facade, startFacade } from './facade.ts';
import { TON } from './ton-chain.ts';
import { startTwoSources, type TwoSources } from './two-sources.ts';
import type { PrintedTransaction } from './v3-printing.ts';

let ton: TwoSources;
/** Another index. */
let other: Facade;
beforeAll(async () => {
  ton = await startTwoSources();
  other = await startFacade(ton.chain);
});
afterAll(() => Promise.all([ton.close(), other.close()]));
afterEach(() => {
  for (const facade of [ton.index, ton.node, other]) facade.behaviour = honest();
});

type Change = (printed: PrintedTransaction) => Partial<Record<'description' | 'in_msg' | 'out_msgs', unknown>>;
const inMessage = (change: object) => (printed: PrintedTransaction) => ({ in_msg: { ...printed.in_msg, ...change } });
const computation = (change: object) => (printed: PrintedTransaction) => ({
  description: { ...printed.description, compute_ph: { ...printed.description.compute_ph, ...change } },
});

const lies: [string, Change][] = [
  ['aborted', ({ description }) => ({ description: { ...description, aborted: description.aborted !== true } })],
  ['bounced', inMessage({ bounced: true })],
  ['without a body', inMessage({ message_content: { hash: null, body: null } })],
  ['without any content', inMessage({ message_content: null })],
  ['of value 0', inMessage({ value: '0' })],
  ['of no value', inMessage({ value: null })],
  ['failed with exit code 705', computation({ skipped: false, exit_code: 705 })],
  ['without an exit code', computation({ skipped: false, exit_code: null })],
  ['from outside of the chain', inMessage({ source: null })],
  ['without a message', () => ({ in_msg: null })],
  ['returned', ({ out_msgs }) => ({ out_msgs: [...out_msgs, { bounced: true }] })],
];
/** It has neither a body nor an exit code. */
const trueOfCoins = new Set(['without a body', 'without any content', 'without an exit code']);

const cases = lies.flatMap(([name, lie]) =>
  (trueOfCoins.has(name) ? (['USDT'] as const) : (['TON', 'USDT'] as const)).map(
    (asset) => [asset, name, lie] as const,
  ),
);

it.each(cases)('stops before it passes %s that the only index calls %s', async (asset, _, lie) => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  const [to] = addresses;
  await ton.chain.send(asset === 'TON' ? { to: to!, value: 5n * TON } : ton.chain.tokenTransfer(to!, 5n * TON));
  ton.chain.mine();
  ton.index.behaviour.changeTransaction = (printed) => ({ ...printed, ...lie(printed) }) as PrintedTransaction;
  await expect(observer.poll()).rejects.toMatchObject({ reason: 'DISAGREEING' });
  ton.chain.mine(200);
  ton.index.behaviour = honest();
  await observer.catchUp();
  expect(unitsOf(to!)).toEqual([5n * TON]);
});

it.each(lies)('goes on with two others when an index calls a payment %s', async (_, lie) => {
  const urls = [...ton.urls, other.url];
  const { observer, addresses, unitsOf } = await ton.watch(2, { urls });
  const [coins, tokens] = addresses;
  await ton.chain.send({ to: coins!, value: TON }, ton.chain.tokenTransfer(tokens!, 5n));
  ton.index.behaviour.changeTransaction = (printed) => ({ ...printed, ...lie(printed) }) as PrintedTransaction;
  ton.chain.mine(2);
  await observer.catchUp();
  expect(addresses.map(unitsOf)).toEqual([[TON], [5n]]);
});

it('asks each source once for what is no payment, however often it is read', async () => {
  const { observer, addresses } = await ton.watch(1);
  await ton.chain.send({ to: addresses[0]!, value: TON, bounce: true });
  ton.chain.mine(2);
  await observer.catchUp();
  // Later, when it must be served by all, each source is asked.
  ton.chain.mine(20);
  for (let polls = 0; polls < 10; polls += 1) {
    if (polls === 5) ton.node.calls.length = 0;
    ton.chain.mine();
    await observer.poll();
  }
  expect(ton.node.calls.filter((call) => call.includes('/getTransactions'))).toEqual([]);
});

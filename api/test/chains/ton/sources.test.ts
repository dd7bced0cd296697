/**
 * Sources that skip, lag, refuse and lie: they cost delay, never money.
 * @module-tag thorough
 */
import { Address, beginCell } from '@ton/core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { honest } from './behaviour.ts';
import { type Facade, startFacade } from './facade.ts';
import { randomTonAddress } from './local-ton.ts';
import { TON } from './ton-chain.ts';
import { on, startTwoSources, type TwoSources } from './two-sources.ts';

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

const pay = async (to: Address, value = TON) => {
  const [transaction] = on(to, await ton.chain.send({ to, value }));
  ton.chain.mine();
  return transaction!.hash().toString('hex');
};
const twoIndexes = () => ({ urls: [ton.index.url, other.url] });
const lacking =
  (...hashes: string[]) =>
  ({ hash }: { hash: string }) =>
    hashes.includes(hash);

it('passes no gap between two transactions of an address', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  const skipped = await pay(addresses[0]!);
  ton.index.behaviour.lacks = lacking(skipped);
  await pay(addresses[0]!, 2n * TON);
  await expect(observer.poll()).rejects.toMatchObject({ reason: 'LAGGING', message: /skipped a transaction/ });
  ton.chain.mine(30);
  await expect(observer.poll()).rejects.toMatchObject({ reason: 'LAGGING' });
  ton.index.behaviour.lacks = () => false;
  await observer.catchUp();
  expect(unitsOf(addresses[0]!)).toEqual([TON, 2n * TON]);
});

it.each([
  ['another index', true],
  ['a node without index', false],
])('learns from %s that the only transaction of an address was skipped', async (_, hasTwoIndexes) => {
  const { observer, addresses, unitsOf } = await ton.watch(1, hasTwoIndexes ? twoIndexes() : {});
  const skipped = await pay(addresses[0]!);
  ton.index.behaviour.lacks = lacking(skipped);
  ton.index.behaviour.hasOldStates = true;
  ton.chain.mine(10);
  await expect(observer.poll()).rejects.toMatchObject({ reason: 'LAGGING' });
  ton.index.behaviour.lacks = () => false;
  await observer.catchUp();
  expect(unitsOf(addresses[0]!)).toEqual([TON]);
});

it('waits for the transaction that an index names as the last one and does not serve', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  const named = await pay(addresses[0]!);
  ton.index.behaviour.lacks = lacking(named);
  ton.node.behaviour.lacks = lacking(named);
  ton.chain.mine(10);
  await expect(observer.poll()).rejects.toMatchObject({ reason: 'LAGGING', message: expect.stringContaining(named) });
  for (const facade of [ton.index, ton.node]) facade.behaviour.lacks = () => false;
  await observer.catchUp();
  expect(unitsOf(addresses[0]!)).toEqual([TON]);
});

it('does not ask for last transactions that are older than what it reads', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  const old = await pay(addresses[0]!);
  await observer.catchUp();
  ton.chain.mine(200);
  await observer.catchUp();
  for (const facade of [ton.index, ton.node]) facade.behaviour.lacks = lacking(old);
  ton.chain.mine(10);
  await observer.catchUp();
  expect(unitsOf(addresses[0]!)).toEqual([TON]);
});

it.each([
  ['accountStates.accounts.0.status', 'v3' as const],
  ['getAddressInformation.result.state', 'v2' as const],
])('refuses a word that it does not know in %s', async (field, version) => {
  const { observer, addresses } = await ton.watch(1);
  await pay(addresses[0]!);
  ton.chain.mine(10);
  (version === 'v3' ? ton.index : ton.node).behaviour.changeStatus = () => 'hibernated';
  const message = expect.stringContaining(field);
  await expect(observer.poll()).rejects.toMatchObject({ reason: 'INVALID_RESPONSE', message });
});

it('finds a transaction that an index serves minutes later, with an older time', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  const late = await pay(addresses[0]!);
  for (const { behaviour } of [ton.index, ton.node])
    Object.assign(behaviour, { lacks: lacking(late), hasOldStates: true });
  ton.chain.mine(5);
  await observer.poll();
  for (const facade of [ton.index, ton.node]) facade.behaviour = honest();
  ton.chain.mine(40);
  await observer.catchUp();
  expect(unitsOf(addresses[0]!)).toEqual([TON]);
});

it('reads all pages of an index whose pages are shorter than was asked for', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(2);
  const payments = Array.from({ length: 7 }, (_, index) => ({
    to: addresses[index % 2]!,
    value: BigInt(index + 1) * TON,
  }));
  await ton.chain.send(...payments);
  ton.chain.mine();
  ton.index.behaviour.pageMax = 2;
  await observer.catchUp();
  expect(addresses.flatMap(unitsOf)).toHaveLength(7);
});

it('reads again what has changed between two pages', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(2);
  const first = await pay(addresses[0]!);
  for (let index = 0; index < 4; index += 1) await pay(addresses[index % 2]!);
  ton.index.behaviour.pageMax = 2;
  ton.index.behaviour.lacks = lacking(first);
  ton.index.behaviour.beforePage = (offset) => {
    if (offset > 0) ton.index.behaviour.lacks = () => false;
  };
  await expect(observer.poll()).rejects.toMatchObject({ reason: 'LAGGING', message: /changed its pages/ });
  await observer.catchUp();
  expect(addresses.flatMap(unitsOf)).toHaveLength(5);
});

it('halves requests that are too large, and finds all payments', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(5);
  ton.index.behaviour.accountsMax = 3;
  for (const address of addresses) await pay(address);
  await observer.catchUp();
  expect(addresses.map(unitsOf)).toEqual(addresses.map(() => [TON]));
});

it.each([
  ['422', { status: 422, body: { error: 'failed to parse' } }, 'INVALID_RESPONSE'],
  ['429', { status: 429, body: { error: 'Ratelimit exceed' } }, 'THROTTLED'],
  ['200 with a code', { status: 200, body: { ok: false, result: 'Ratelimit exceed', code: 429 } }, 'THROTTLED'],
  ['500', { status: 500, body: { error: 'timeout: context deadline exceeded' } }, 'INVALID_RESPONSE'],
])('waits for a source that answers %s', async (_, refusal, reason) => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  await pay(addresses[0]!);
  ton.index.behaviour.refusal = refusal;
  await expect(observer.poll()).rejects.toMatchObject({ reason });
  ton.index.behaviour.refusal = undefined;
  observer.restart(ton.createWatcher());
  await observer.catchUp();
  expect(unitsOf(addresses[0]!)).toEqual([TON]);
});

it('confirms payments by a node in C++ that has no archival server, and waits for one that it does not have', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  ton.node.behaviour.hasNoArchival = true;
  await pay(addresses[0]!);
  await observer.catchUp();
  expect(unitsOf(addresses[0]!)).toEqual([TON]);
  const missing = await pay(addresses[0]!, 2n * TON);
  ton.node.behaviour.lacks = lacking(missing);
  expect((await observer.poll()).warnings).toEqual([expect.stringContaining(missing)]);
  ton.node.behaviour.lacks = () => false;
  await observer.catchUp();
  expect(unitsOf(addresses[0]!)).toEqual([TON, 2n * TON]);
});

it('asks a node for archival transactions, and does not take its ignorance for a denial', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(2);
  const [known, unknown] = addresses as [Address, Address];
  ton.node.behaviour.needsArchival = true;
  await pay(known);
  await observer.catchUp();
  expect(unitsOf(known)).toEqual([TON]);

  const missing = await pay(unknown);
  await pay(known);
  ton.node.behaviour.lacks = lacking(missing);
  const poll = await observer.poll();
  // The other payment does not wait for it, and the health of the chain shows that it is behind.
  expect(unitsOf(known)).toEqual([TON, TON]);
  expect(poll.scannedHeight).toBeLessThan(poll.head.height);
  expect(poll.warnings).toEqual([expect.stringContaining(missing)]);
  ton.chain.mine(62);
  await expect(observer.poll()).rejects.toMatchObject({ reason: 'DISAGREEING' });
  ton.node.behaviour.lacks = () => false;
  await observer.catchUp();
  expect(unitsOf(unknown)).toEqual([TON]);
});

it.each([
  ['a larger value', (value: string) => ({ value: `${value}0` })],
  ['another sender', () => ({ source: `0:${'AB'.repeat(32)}` })],
])('refuses %s in JSON, because the whole transaction has the hash', async (_, change) => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  await pay(addresses[0]!);
  ton.index.behaviour.changeTransaction = (printed) => ({
    ...printed,
    in_msg: printed.in_msg && { ...printed.in_msg, ...change(printed.in_msg.value!) },
  });
  await expect(observer.poll()).rejects.toMatchObject({ reason: 'DISAGREEING' });
  expect(unitsOf(addresses[0]!)).toEqual([]);
  ton.index.behaviour = honest();
  await observer.catchUp();
  expect(unitsOf(addresses[0]!)).toEqual([TON]);
});

it('refuses a lie about a payment that it has confirmed before', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  await pay(addresses[0]!);
  await observer.catchUp();
  ton.index.behaviour.changeTransaction = (printed) => ({
    ...printed,
    in_msg: printed.in_msg && { ...printed.in_msg, value: `${printed.in_msg.value}0` },
  });
  await expect(observer.poll()).rejects.toMatchObject({ reason: 'DISAGREEING' });
  expect(unitsOf(addresses[0]!)).toEqual([TON]);
});

it('refuses a whole transaction with another hash', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  await pay(addresses[0]!);
  ton.node.behaviour.changeCell = (cell) => beginCell().storeSlice(cell.beginParse()).storeBit(1).endCell();
  await expect(observer.poll()).rejects.toMatchObject({ reason: 'INVALID_RESPONSE' });
  expect(unitsOf(addresses[0]!)).toEqual([]);
});

it('refuses an invented payment, and goes on with two other sources', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(1, { urls: [...ton.urls, other.url] });
  ton.index.behaviour.changeTransaction = (printed) => ({ ...printed, hash: Buffer.alloc(32, 9).toString('base64') });
  await pay(addresses[0]!);
  await observer.catchUp();
  expect(unitsOf(addresses[0]!)).toEqual([TON]);
});

it('reports other payments while no source but one has a payment, whatever their number', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(2, { urls: [...ton.urls, other.url] });
  const missing = await pay(addresses[0]!);
  await pay(addresses[1]!);
  // The third source does not work, and the second is late.
  other.behaviour.page = 'CLOSED';
  ton.node.behaviour.lacks = lacking(missing);
  await observer.poll();
  expect(addresses.map(unitsOf)).toEqual([[], [TON]]);
});

it('confirms many small payments of a stranger in several polls, and reports each once', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(1, { confirmationMs: 0 });
  const small = { to: addresses[0]!, value: 1n };
  await ton.chain.send(...Array.from({ length: 5 }, () => small));
  ton.chain.mine();
  let polls = 0;
  for (; unitsOf(addresses[0]!).length < 5 && polls < 20; polls += 1) await observer.poll();
  expect(polls).toBeGreaterThan(1);
  await observer.catchUp();
  expect(unitsOf(addresses[0]!)).toEqual([1n, 1n, 1n, 1n, 1n]);
});

it('confirms a payment before the second one of many small ones to another address', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(2, { confirmationMs: 0 });
  const [busy, quiet] = addresses as [Address, Address];
  await ton.chain.send(...Array.from({ length: 5 }, () => ({ to: busy, value: 1n })), { to: quiet, value: TON });
  ton.chain.mine();
  for (let polls = 0; polls < 2; polls += 1) await observer.poll();
  expect([unitsOf(busy).length, unitsOf(quiet)]).toEqual([1, [TON]]);
});

/** More addresses than version 2 is asked for at once before the cursor passes. */
const MANY = 40;
type Watching = Awaited<ReturnType<TwoSources['watch']>>;

async function pollForMinutes({ observer }: Watching, minutes: number): Promise<readonly string[]> {
  for (let passed = 0; passed < minutes; passed += 1) {
    ton.chain.mine(6);
    await observer.poll();
  }
  return observer.lastPoll().warnings ?? [];
}

it('warns of a source that has refused to tell the states of accounts for 15 minutes', async () => {
  const watching = await ton.watch(MANY);
  ton.node.behaviour.disabled = new Set(['/getAddressInformation']);
  expect(await pollForMinutes(watching, 12)).toEqual([]);
  const name = new URL(ton.node.url).host;
  expect(await pollForMinutes(watching, 5)).toEqual([
    `payments may be missing or invented: ${name} could not be asked about 80 of 80 accounts for more than 15 minutes`,
  ]);
  ton.node.behaviour = honest();
  expect(await pollForMinutes(watching, 4)).toEqual([]);
});

it('asks again about a hidden payment that no other source could be asked about', async () => {
  const watching = await ton.watch(MANY, { urls: [...ton.urls, other.url] });
  const { addresses, unitsOf } = watching;
  const hidden = await pay(addresses[0]!);
  Object.assign(ton.index.behaviour, { lacks: lacking(hidden), hasOldStates: true });
  other.behaviour.page = 'CLOSED';
  await pollForMinutes(watching, 8);
  expect(unitsOf(addresses[0]!)).toEqual([]);
  other.behaviour.page = 'NONE';
  await pollForMinutes(watching, 8);
  expect(unitsOf(addresses[0]!)).toEqual([TON]);
});

it('refuses another block of the masterchain', async () => {
  const { observer, addresses } = await ton.watch(1);
  await pay(addresses[0]!);
  ton.node.behaviour.changeRootHash = () => Buffer.alloc(32, 1);
  await expect(observer.poll()).rejects.toMatchObject({ reason: 'DISAGREEING' });
});

it('refuses a test network', async () => {
  const { observer } = await ton.watch(1);
  ton.node.behaviour.globalId = -3;
  await expect(observer.poll()).rejects.toMatchObject({ reason: 'INVALID_RESPONSE', message: /network -3, not -239/ });
});

it('refuses balances that only one source reports', async () => {
  const { addresses } = await ton.watch(1);
  ton.node.behaviour.changeBalance = (balance) => balance + 1n;
  const read = ton.createWatcher().balances('TON', [addresses[0]!.toString()], new AbortController().signal);
  await expect(read).rejects.toMatchObject({ reason: 'DISAGREEING' });
});

it('finds both payments around an outage of 20 minutes, among a thousand of others', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  await pay(addresses[0]!);
  await observer.catchUp();
  for (const facade of [ton.index, ton.node]) facade.behaviour.page = 'CLOSED';
  await pay(addresses[0]!, 2n * TON);
  ton.chain.mineOthers(1000, 120);
  await expect(observer.poll()).rejects.toMatchObject({ reason: 'DOWN' });
  await pay(addresses[0]!, 3n * TON);
  ton.chain.mine(30);
  for (const facade of [ton.index, ton.node]) facade.behaviour.page = 'NONE';
  observer.restart(ton.createWatcher());
  await observer.catchUp();
  expect(unitsOf(addresses[0]!)).toEqual([TON, 2n * TON, 3n * TON]);
});

it('asks for addresses with an open invoice at each poll, and for the others every minute', async () => {
  const { addresses } = await ton.watch(2);
  const [open, idle] = addresses.map((address) => address.toString({ bounceable: false })) as [string, string];
  const watcher = ton.createWatcher();
  const poll = (cursor: string | null) =>
    watcher.poll(cursor, new Set([open, idle]), new AbortController().signal, new Set([open]));
  let { cursor } = await poll(null);
  await ton.chain.send({ to: addresses[0]!, value: TON }, { to: addresses[1]!, value: TON });
  const paid: string[][] = [];
  for (let polls = 0; polls < 8; polls += 1) {
    ton.chain.mine();
    const result = await poll(cursor);
    cursor = result.cursor;
    paid.push(result.payments.map(({ address }) => address));
  }
  expect(paid[0]).toEqual([open]);
  expect(paid.findIndex((found) => found.includes(idle))).toBe(5);
});

it.each([
  [0, true],
  [1, false],
])('reads the last of the addresses that it reads together and %i more: %s', async (more, isRead) => {
  const watcher = ton.createWatcher();
  const addresses = Array.from({ length: watcher.readTogetherMax! + more }, randomTonAddress);
  const last = addresses.at(-1)!;
  const poll = (cursor: string | null) => watcher.poll(cursor, new Set(addresses), new AbortController().signal);
  const { cursor } = await poll(null);
  await ton.chain.send({ to: Address.parse(last), value: TON });
  ton.chain.mine();
  expect((await poll(cursor)).payments.map(({ address }) => address)).toEqual(isRead ? [last] : []);
});

it('catches up on a day without a worker in windows of half an hour', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  const half = (24 * 60 * 60) / 10 / 2;
  await pay(addresses[0]!);
  ton.chain.mine(half);
  await pay(addresses[0]!, 2n * TON);
  ton.chain.mine(half);
  await pay(addresses[0]!, 3n * TON);
  ton.index.calls.length = 0;
  observer.restart(ton.createWatcher());
  expect(await observer.catchUp()).toBeLessThanOrEqual(50);
  expect(unitsOf(addresses[0]!)).toEqual([TON, 2n * TON, 3n * TON]);
  // Some requests for each window, whatever happened in it.
  expect(ton.index.calls.length).toBeLessThan(400);
});

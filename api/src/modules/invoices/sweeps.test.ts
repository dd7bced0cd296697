/**
 * The list of sweeps that were sent, and what the comparison reads from it.
 * @module-tag thorough
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startEvmSweepNode, type SweepNode } from '../../../test/chains/sweep-nodes.ts';
import { createUser } from '../../../test/factories.ts';
import { ethereumHoldings, EVM_ADDRESSES, EVM_TREASURY, holdingsFile } from '../../../test/holdings.ts';
import { signList } from '../../../test/offline-signing.ts';
import { ScriptedChain } from '../../../test/scripted-chain.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import * as addresses from './addresses.store.ts';
import { broadcastSweeps, checkSweeps } from './broadcast.service.ts';
import { compareChain } from './comparison.service.ts';
import { signedFileSchema } from '../../payments/sweep/signed-file.ts';
import { watchChain } from './watch.service.ts';

const ADDRESS = EVM_ADDRESSES[1];
/** The sweep takes 250 USDT, of which this was never seen. */
const MISSED = 70_000_000n;
const DIFFERENCE = `${ADDRESS} received 70.00 USDT_ERC20 more than its deposits, after block 1`;

let testApp: TestApp;
let chain: ScriptedChain;
let nodes: SweepNode[];
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  await testApp.reset();
  chain = new ScriptedChain();
  await useNodes(2);
  const { ctx } = testApp;
  const accountId = await addresses.findOrInsertAccount(ctx, 'evm', 'f00d', 0n);
  for (const [index, address] of EVM_ADDRESSES.entries()) {
    const { id: userId } = await createUser(testApp);
    const shared = { space: 'evm', address, userId, isShared: true, accountId, index: BigInt(index), mac: '' } as const;
    await addresses.insertAddress(ctx, shared);
  }
  await watch();
  await send(250_000_000n - MISSED);
  await compare();
});

async function useNodes(count: number) {
  nodes = await Promise.all(Array.from({ length: count }, () => startEvmSweepNode()));
  testApp.ctx.config.payments.urls = { ethereum: nodes.map(({ node }) => node.url) };
}

const watch = () => watchChain(testApp.ctx, 'ethereum', chain);
const compare = () => compareChain(testApp.ctx, 'ethereum', chain);
async function send(units: bigint) {
  chain.send({ asset: 'USDT', address: ADDRESS, units });
  chain.mine();
  await watch();
}

/** Nobody watches the address, and no comparison comes before the sweep. */
async function miss() {
  await testApp.database.query(`update deposit_addresses set watched_until = now() - interval '1 day'`);
  await send(MISSED);
}

const { file, sweeps } = await signList(holdingsFile(ethereumHoldings()), [EVM_TREASURY, '', 'sign']);
const [{ transactionId } = { transactionId: '' }] = sweeps;

/** @param height of the block in which these nodes have the sweep */
async function sweep(height: number, having: readonly SweepNode[] = nodes, isSuccessful = true) {
  const checked = await checkSweeps(testApp.ctx, signedFileSchema.parse(JSON.parse(file)));
  for await (const { outcome } of broadcastSweeps(testApp.ctx, checked, new Date()))
    expect(outcome.state).toMatch(/^(?:SENT|REFUSED)$/);
  for (const { included } of having) included.set(transactionId, { height, isSuccessful });
  if (isSuccessful) chain.sweep('USDT', ADDRESS);
  chain.mineEmpty(1);
  await watch();
}

test('a payment that was missed and swept before the next comparison is a difference', async () => {
  await miss();
  await sweep(3);
  expect(await compare()).toEqual([DIFFERENCE]);
  expect(await compare()).toEqual([DIFFERENCE]);
});

test('a sweep of what was deposited is no difference, nor is a payment after it missed', async () => {
  await miss();
  // Between the payment and the sweep.
  expect(await compare()).toEqual([DIFFERENCE]);
  await sweep(3);
  expect(await compare()).toEqual([DIFFERENCE]);
  await send(5_000_000n);
  expect(await compare()).toEqual([DIFFERENCE]);
});

test('a sweep that is sent again counts once, and one in a later block than the balances counts later', async () => {
  await miss();
  const balances = chain.balances.bind(chain);
  const before = await balances('USDT', [ADDRESS]);
  chain.balances = (asset, listed) => (asset === 'USDT' ? Promise.resolve(before) : balances(asset, listed));
  await sweep(3);
  expect(await compare()).toEqual([DIFFERENCE]);
  chain.balances = balances;
  for await (const { outcome } of broadcastSweeps(testApp.ctx, sweeps, new Date()))
    expect(outcome).toMatchObject({ state: 'IN_BLOCK', height: 3 });
  expect(await compare()).toEqual([DIFFERENCE]);
});

test('a sweep that was refused, or failed in its block, has taken nothing', async () => {
  for (const each of nodes) each.refusal = 'insufficient funds';
  await sweep(2, nodes, false);
  expect(await compare()).toEqual([]);
  await miss();
  expect(await compare()).toEqual([DIFFERENCE.replace('block 1', 'block 2')]);
});

test('one source of three that denies a sweep hides nothing', async () => {
  await miss();
  await useNodes(3);
  await sweep(3, nodes.slice(1));
  expect(await compare()).toEqual([DIFFERENCE]);
});

test('two sources that differ about a sweep end the comparison, which goes on when they agree', async () => {
  await miss();
  await sweep(3, nodes.slice(1));
  await expect(compare()).rejects.toThrow(`the sources differ about the sweep ${transactionId}`);
  nodes[0]!.included.set(transactionId, { height: 3, isSuccessful: true });
  expect(await compare()).toEqual([DIFFERENCE]);
});

/**
 * Sweeps of TON as the operator does them, by the commands: the list, the signed messages, and sending them until all are in blocks.
 * @module-tag thorough
 */
import { Address } from '@ton/core';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDirectory } from '../../../tools/temporary-directory.ts';
import { honest } from '../../test/chains/ton/behaviour.ts';
import { walletCodeHash } from '../../test/chains/ton/jetton.ts';
import { optionsFor } from '../../test/chains/ton/local-ton.ts';
import { TON } from '../../test/chains/ton/ton-chain.ts';
import { startTwoSources, type TwoSources } from '../../test/chains/ton/two-sources.ts';
import { createUser } from '../../test/factories.ts';
import { holdingsFile, LISTED_AT, TON_ADDRESSES, TON_TREASURY, tonHoldings } from '../../test/holdings.ts';
import { TON_WORDS } from '../../test/offline-machine.ts';
import { signList } from '../../test/offline-signing.ts';
import { shownAfter, trimLines } from '../../test/sweeping-guide.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { order } from '../../test/operator.ts';
import * as addresses from '../modules/invoices/addresses.store.ts';
import { openTonAccount } from '../payments/offline/ton-seed.ts';
import type { HoldingsFile } from '../payments/holdings-file.ts';
import { payments as paymentsCommand } from './payments.ts';

const [FIRST, SECOND] = TON_ADDRESSES;

let testApp: TestApp;
let ton: TwoSources;
beforeAll(async () => {
  testApp = await startTestApp();
  ton = await startTwoSources();
});
afterAll(async () => {
  await testApp.stop();
  await ton.close();
});
beforeEach(async () => {
  await testApp.reset();
  for (const facade of [ton.index, ton.node]) facade.behaviour = honest();
  const { ctx } = testApp;
  Object.assign(ctx.config, { isDevelopment: false });
  ctx.config.payments.urls = { ton: ton.urls };
  const jetton = optionsFor(ton.chain).jetton!;
  ctx.config.payments.usdtContracts.ton = jetton.master;
  ctx.config.payments.usdtWalletCode = jetton.walletCode;
  const { fingerprint, publicKey } = await openTonAccount(TON_WORDS);
  ctx.config.payments.accounts = { ton: { kind: 'ED25519', fingerprint, publicKey } };
  const accountId = await addresses.findOrInsertAccount(ctx, 'ton', fingerprint, 0n);
  for (const [index, address] of TON_ADDRESSES.entries()) await issue(address, accountId, BigInt(index));
});

async function issue(address: string, accountId: bigint, index: bigint): Promise<void> {
  const { id: userId } = await createUser(testApp);
  await addresses.insertAddress(testApp.ctx, {
    space: 'ton',
    address,
    userId,
    isShared: true,
    accountId,
    index,
    mac: '',
  });
}

/** Now, because the age of the newest block is that of the chain. */
const mine = () => ton.chain.mineAt(Math.max(Math.floor(Date.now() / 1000), ton.chain.head.time + 1));

async function pay(address: string, tons: bigint, usdt: bigint): Promise<void> {
  const to = Address.parse(address);
  if (tons > 0n) await ton.chain.send({ to, value: tons });
  if (usdt > 0n) await ton.chain.send(ton.chain.tokenTransfer(to, usdt));
  mine();
}

const file = () => path.join(temporaryDirectory(), 'file.json');

async function makeList(): Promise<HoldingsFile> {
  mine();
  const name = file();
  await order(testApp.ctx, paymentsCommand, ['holdings', 'ton', '--file', name]);
  return JSON.parse(fs.readFileSync(name, 'utf8')) as HoldingsFile;
}

async function broadcast(signed: string): Promise<string[]> {
  const name = file();
  fs.writeFileSync(name, signed);
  return (await order(testApp.ctx, paymentsCommand, ['broadcast', name])).output.split('\n');
}

const WAITING =
  'NOT SENT YET: the one before it from this address has to be in a block first. Run the same command again';
const EXPIRED = 'NOT SENT: it has expired. Make a new list and sign again';
const outcomes = (lines: readonly string[]) =>
  lines.filter((_, line) => line % 4 === 3 && line < lines.length - 1).map((line) => line.trim());

test('USDT and TON go from the addresses to the treasury, in as many runs as it takes, and no message twice', async () => {
  await pay(FIRST, 2n * TON, 150_000_000n);
  await pay(SECOND, TON, 0n);
  const list = await makeList();
  expect(list.chains[0]!.addresses).toHaveLength(2);
  const signing = await signList(list, [walletCodeHash, TON_TREASURY, TON_TREASURY, 'sign'], new Date());
  expect(signing.sweeps).toHaveLength(3);
  const lines = await broadcast(signing.file);
  expect(lines[0]).toContain('150.00 USDT on TON, contract UQ');
  expect(lines.slice(1, 3)).toEqual([
    `   from ${FIRST} to ${TON_TREASURY}`,
    `   fee limit 0.05 TON, transaction ${signing.sweeps[0]!.transactionId}`,
  ]);
  expect(outcomes(lines)).toEqual(['sent', WAITING, 'sent']);
  // Before the next block the sources do not know more.
  expect(outcomes(await broadcast(signing.file))).toEqual([
    'sent before, in no block yet',
    WAITING,
    'sent before, in no block yet',
  ]);
  mine();
  const inBlock = `in block ${ton.chain.head.seqno}`;
  expect(outcomes(await broadcast(signing.file))).toEqual([inBlock, 'sent', inBlock]);
  mine();
  const last = await broadcast(signing.file);
  expect(outcomes(last)).toEqual([inBlock, `in block ${ton.chain.head.seqno}`, inBlock]);
  expect(last.at(-1)).toBe('All are in blocks.');
  const watcher = ton.createWatcher({ now: () => new Date() });
  const { units } = await watcher.balances('USDT', [FIRST, TON_TREASURY], new AbortController().signal);
  expect([...units.values()]).toEqual([0n, 150_000_000n]);
  await pay(SECOND, 5n * TON, 0n);
  expect((await broadcast(signing.file)).at(-1)).toBe('All are in blocks.');
  mine();
  expect(ton.chain.stateOf(Address.parse(SECOND).toRawString()).balance).toBeGreaterThan(5n * TON);
});

/** The list as if it were of that time. */
const signAt = (at: Date) =>
  signList({ ...holdingsFile(tonHoldings()), madeAt: at.toISOString() }, [TON_TREASURY, TON_TREASURY, 'sign'], at);

test('holds back what follows a refused message of a wallet, and sends nothing that has expired', async () => {
  // These wallets have no money, or have sent a message with this number.
  const refused = outcomes(await broadcast((await signAt(new Date())).file));
  expect(refused[0]).toMatch(/^NOT SENT, refused/);
  expect(refused[1]).toBe('NOT SENT, because the one before it from this address was not');
  const old = await signAt(new Date(Date.now() - 23 * 3_600_000));
  ton.index.calls.splice(0);
  expect(new Set(outcomes(await broadcast(old.file)))).toEqual(new Set([EXPIRED]));
  expect(ton.index.calls).not.toContain('/api/v3/message');
});

test('sources that take connections and answer nothing end the waiting, and nothing more of a wallet is sent', async () => {
  const { file: signed } = await signAt(new Date());
  const silent = net.createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const sockets = new Set<net.Socket>();
  silent.on('connection', (socket) => sockets.add(socket));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const { port } = silent.address() as net.AddressInfo;
  testApp.ctx.config.payments.urls = {
    ton: ton.urls.map((url) => url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`)),
  };
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const limits: number[] = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    limits.push(ms);
    return timeout(100);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const [first, second] = outcomes(await broadcast(signed));
  expect(first).toMatch(/^NOT SENT: /);
  expect(second).toBe('NOT SENT, because the one before it from this address was not');
  expect(sockets.size).toBeGreaterThan(0);
  expect(Math.max(...limits)).toBeLessThanOrEqual(30_000);
});

test('sends nothing to an address of a customer', async () => {
  const { file: signed } = await signAt(new Date());
  const accountId = await addresses.findOrInsertAccount(testApp.ctx, 'ton', 'f00d', 0n);
  await issue(TON_TREASURY, accountId, 7n);
  await expect(broadcast(signed)).rejects.toThrow(`${TON_TREASURY} is an address of a customer of this shop`);
});

test('the guide shows what the command prints', async () => {
  // Its messages have a time until which they are valid.
  vi.useFakeTimers({ toFake: ['Date'], now: LISTED_AT.getTime() + 7_200_000 });
  onTestFinished(() => void vi.useRealTimers());
  const chain = await startTwoSources();
  onTestFinished(() => chain.close());
  testApp.ctx.config.payments.urls = { ton: chain.urls };
  await chain.chain.send({ to: Address.parse(FIRST), value: 2n * TON });
  chain.chain.mine();
  const list = tonHoldings();
  list.addresses.pop();
  const signing = await signList(holdingsFile(list), [TON_TREASURY, TON_TREASURY, 'sign']);
  const first = await broadcast(signing.file);
  chain.chain.mine();
  // The chain in memory has no USDT of Tether: its transfer is on its way for ever.
  expect(first.join('\n')).toBe(trimLines(shownAfter('broadcast-ton')));
});

/** @module-tag thorough */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../tools/temporary-directory.ts';
import { startEvmSweepNode, startTronSweepNode, type SweepNode } from '../../test/chains/sweep-nodes.ts';
import { createUser } from '../../test/factories.ts';
import {
  ethereumHoldings,
  EVM_ADDRESSES,
  EVM_TREASURY,
  holdingsFile,
  TRON_ADDRESSES,
  TRON_TREASURY,
  tronHoldings,
} from '../../test/holdings.ts';
import { signList, type Signing } from '../../test/offline-signing.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { order } from '../../test/operator.ts';
import * as addresses from '../modules/invoices/addresses.store.ts';
import type { AddressSpace } from '../payments/currencies.ts';
import { payments as paymentsCommand } from './payments.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  await testApp.reset();
  await issue('evm', EVM_ADDRESSES);
  await issue('tron', TRON_ADDRESSES);
});

async function issue(space: AddressSpace, issued: readonly string[]): Promise<void> {
  const { ctx } = testApp;
  const accountId = await addresses.findOrInsertAccount(ctx, space, 'f00d', 0n);
  for (const [index, address] of issued.entries()) {
    const { id: userId } = await createUser(testApp);
    const shared = { space, address, userId, isShared: true, accountId, index: BigInt(index), mac: '' };
    await addresses.insertAddress(ctx, shared);
  }
}

const ethereum = await signList(holdingsFile(ethereumHoldings()), [EVM_TREASURY, EVM_TREASURY, 'sign']);

async function startEthereum(count = 2): Promise<SweepNode[]> {
  const nodes = await Promise.all(Array.from({ length: count }, () => startEvmSweepNode()));
  testApp.ctx.config.payments.urls = { ethereum: nodes.map(({ node }) => node.url) };
  return nodes;
}

/** Writes the file and sends it, from its directory. */
async function broadcast(file: string): Promise<string> {
  const directory = temporaryDirectory();
  fs.writeFileSync(path.join(directory, 'signed.json'), file);
  return (await order(testApp.ctx, paymentsCommand, ['broadcast', path.join(directory, 'signed.json')])).output;
}

const outcomes = (output: string) =>
  output
    .split('\n')
    .filter((_, line) => line % 4 === 3)
    .map((line) => line.trim());

test('sends each transaction to every source, says what it does, and reports blocks later', async () => {
  const nodes = await startEthereum();
  const [, usdt] = ethereum.sweeps;
  const output = await broadcast(ethereum.file);
  expect(output).toContain(`2. 250.00 USDT on Ethereum (chain 1)
   from ${EVM_ADDRESSES[1]} to ${EVM_TREASURY}
   fee limit 0.003 ETH, transaction ${usdt!.transactionId}
   sent
`);
  expect(outcomes(output).slice(0, 3)).toEqual(['sent', 'sent', 'sent']);
  expect(output).toMatch(/sends nothing twice\.$/);
  for (const { taken } of nodes) expect([...taken]).toEqual(ethereum.sweeps.map(({ transactionId }) => transactionId));
  expect(outcomes(await broadcast(ethereum.file)).slice(0, 3)).toEqual(Array(3).fill('sent before, in no block yet'));
  for (const { included } of nodes) {
    for (const [position, { transactionId }] of ethereum.sweeps.entries())
      included.set(transactionId, { height: 100 + position, isSuccessful: position !== 1 });
  }
  expect(await broadcast(ethereum.file)).toMatch(/All are in blocks\.$/);
  expect(outcomes(await broadcast(ethereum.file))).toEqual([
    'in block 100',
    'FAILED in block 101: nothing was moved, and the fee is paid',
    'in block 102',
  ]);
});

test('one source that claims a block does not keep a transaction from the others', async () => {
  const [liar, honest] = await startEthereum();
  for (const { transactionId } of ethereum.sweeps) liar!.included.set(transactionId, { height: 9, isSuccessful: true });
  expect(outcomes(await broadcast(ethereum.file)).slice(0, 3)).toEqual(['sent', 'sent', 'sent']);
  expect(honest!.taken.size).toBe(3);
});

test('holds back what follows a refused transaction of an address, and removes escape codes of a source', async () => {
  const nodes = await startEthereum();
  for (const each of nodes) each.refusal = 'insufficient funds\u001B[2J';
  const [first, second, third] = outcomes(await broadcast(ethereum.file));
  expect(first).toMatch(/^NOT SENT, refused: .*insufficient funds\?\[2J$/);
  expect(second).toMatch(/^NOT SENT, refused/);
  expect(third).toBe('NOT SENT, because the one before it from this address was not');
});

test('sends with one source of two, and asks a dead one three times only', async () => {
  const [dead, working] = await startEthereum();
  dead!.node.respond = (_, response) => void response.writeHead(502).end('<html>');
  let requests = 0;
  const respond = dead!.node.respond;
  dead!.node.respond = (request, response) => {
    requests += 1;
    respond(request, response);
  };
  const list = ethereumHoldings();
  const [address] = list.addresses;
  const many = holdingsFile({ ...list, addresses: [address!] });
  const files = await Promise.all(
    [3, 4, 5, 6, 7].map((nonce) =>
      signList({ ...many, chains: [{ ...list, addresses: [{ ...address!, nonce }] }] }, [EVM_TREASURY, 'sign']),
    ),
  );
  const transactions = files.flatMap(({ file }) => (JSON.parse(file) as { transactions: object[] }).transactions);
  const file = JSON.stringify({ kind: 'cellhop-signed', version: 1, transactions });
  expect(outcomes(await broadcast(file)).slice(0, 5)).toEqual(Array(5).fill('sent'));
  expect([requests, working!.taken.size]).toEqual([3, 5]);
  working!.node.respond = respond;
  const [first] = outcomes(await broadcast(file));
  expect(first).toMatch(/^NOT SENT: 127\.0\.0\.1:\d+ responded to eth_chainId with HTTP 502$/);
});

test('sends nothing to a source of another chain', async () => {
  const other = await startEvmSweepNode(61);
  testApp.ctx.config.payments.urls = { ethereum: [other.node.url] };
  expect(outcomes(await broadcast(ethereum.file))[0]).toMatch(/serves chain 61, not 1/);
  expect(other.taken.size).toBe(0);
});

/** @param at of the reference block, and when it is signed */
function signTron(at: Date): Promise<Signing> {
  const list = tronHoldings();
  list.referenceBlock.time = at.toISOString();
  return signList(holdingsFile(list), [TRON_TREASURY, TRON_TREASURY, 'yes', 'yes', 'sign'], at);
}

test('sends TRX and USDT on TRON, and nothing that has expired', async () => {
  const node = await startTronSweepNode();
  testApp.ctx.config.payments.urls = { tron: [node.node.url] };
  const { file, sweeps } = await signTron(new Date());
  const output = await broadcast(file);
  expect(output).toContain(`1. 149.999999 USDT on TRON\n   from ${TRON_ADDRESSES[0]} to ${TRON_TREASURY}\n`);
  expect(outcomes(output).slice(0, 3)).toEqual(['sent', 'sent', 'sent']);
  expect(outcomes(await broadcast(file)).slice(0, 3)).toEqual(Array(3).fill('sent before, in no block yet'));
  node.included.set(sweeps[0]!.transactionId, { height: 80_000_100, isSuccessful: false });
  expect(outcomes(await broadcast(file))[0]).toMatch(/^FAILED in block 80000100/);
  const old = await signTron(new Date(Date.now() - 23 * 3_600_000));
  node.node.calls.splice(0);
  expect(outcomes(await broadcast(old.file))[0]).toBe('NOT SENT: it has expired. Make a new list and sign again');
  expect(node.node.calls).not.toContain('/wallet/broadcasthex');
  node.refusal = 'Validate TransferContract error, balance is not sufficient.';
  const refused = outcomes(await broadcast((await signTron(new Date(Date.now() - 60_000))).file));
  expect(refused[0]).toBe(`NOT SENT, refused: CONTRACT_VALIDATE_ERROR ${node.refusal}`);
  // No transaction of TRON waits for another one.
  expect(refused[1]).toMatch(/^NOT SENT, refused/);
});

test('checks the whole file before it sends anything', async () => {
  const nodes = await startEthereum();
  const { transactions } = JSON.parse(ethereum.file) as { transactions: { chain: string; raw: string }[] };
  const withLast = (last: object) =>
    JSON.stringify({ kind: 'cellhop-signed', version: 1, transactions: [...transactions, last] });
  const [first] = transactions;
  await expect(broadcast(withLast({ chain: 'bsc', raw: first!.raw }))).rejects.toThrow(
    'Transaction 4 is not valid, so nothing was sent: it is for the chain 1, not for BNB Smart Chain (56)',
  );
  await expect(broadcast(withLast({ chain: 'ethereum', raw: `${first!.raw}00` }))).rejects.toThrow('Transaction 4');
  await expect(broadcast(withLast({ chain: 'tron', raw: 'ff' }))).rejects.toThrow('Transaction 4');
  for (const file of ['', '{}', '[]', withLast({ chain: 'bitcoin', raw: 'ff' }), withLast({ chain: 'tron', raw: 'F' })])
    await expect(broadcast(file)).rejects.toThrow('is not a file that the offline program has signed');
  await expect(order(testApp.ctx, paymentsCommand, ['broadcast', '/none'])).rejects.toThrow('/none cannot be read.');
  await issue('evm', [EVM_TREASURY]);
  await expect(broadcast(ethereum.file)).rejects.toThrow(`${EVM_TREASURY} is an address of a customer of this shop`);
  await testApp.database.query('delete from deposit_addresses where address = any($1)', [[...EVM_ADDRESSES]]);
  await expect(broadcast(ethereum.file)).rejects.toThrow(`${EVM_ADDRESSES[0]} is no address of this shop`);
  testApp.ctx.config.payments.urls = {};
  await expect(broadcast(ethereum.file)).rejects.toThrow('No sources of ethereum are set, so nothing was sent.');
  expect(nodes.map(({ taken }) => taken.size)).toEqual([0, 0]);
});

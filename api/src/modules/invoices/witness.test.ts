import { createInvoice, listInvoices } from '@cellhop/contract/invoices';
import { getAttention } from '@cellhop/contract/staff/dashboard';
import { listUnassignedPayments } from '@cellhop/contract/staff/invoices';
import fs from 'node:fs';
import path from 'node:path';
import assert from 'node:assert/strict';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { ScriptedChain } from '../../../test/scripted-chain.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { temporaryDirectory } from '../../../../tools/temporary-directory.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { parseAccountKey } from '../../payments/derive/account-key.ts';
import { deriveAddress } from '../../payments/derive/addresses.ts';
import { skipShown } from './restored.service.ts';
import { watchChain } from './watch.service.ts';
import { keepWitness } from './witness.service.ts';

const account = parseAccountKey(
  'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
);

let testApp: TestApp;
let alice: TestUser;
let bob: TestUser;
let file: string;
let chain: ScriptedChain;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  await testApp.reset();
  file = path.join(temporaryDirectory(), 'beside', 'witness.json');
  Object.assign(testApp.ctx.config, { isDevelopment: false, witnessFile: file });
  const { payments } = testApp.ctx.config;
  payments.accounts = { evm: account };
  payments.urls = { ethereum: ['http://127.0.0.1:1'] };
  chain = new ScriptedChain();
  [alice, bob] = [await createUser(testApp), await createUser(testApp)];
  await testApp.database.query(
    `insert into exchange_rates (asset, rate_e12, source_count, accepted_at) values ('USDT', '1000000000000', 2, now())`,
  );
  await poll();
});
afterEach(async () => {
  vi.restoreAllMocks();
  assert.deepEqual(await checkInvariants(testApp.ctx), []);
});

async function poll() {
  await testApp.database.query('update chain_cursors set next_poll_at = now()');
  await watchChain(testApp.ctx, 'ethereum', chain);
}
const newInvoice = async (user: TestUser) =>
  (await user.call(createInvoice, { body: { currency: 'USDT_ERC20', amount: 25 } })).data;
const unavailable = { status: 503, code: 'UNAVAILABLE' };
const witnessed = () => JSON.parse(fs.readFileSync(file, 'utf8')) as { shown: Record<string, string> };
const addressOf = (index: bigint) => deriveAddress('evm', account, index);

/** What a restore to a minute before the first address takes away. */
async function restore() {
  await testApp.database.query('delete from invoices');
  await testApp.database.query('delete from deposit_addresses');
  await testApp.database.query('update wallet_accounts set next_index = 1');
}

describe('after a restore of the database', () => {
  test('an address that Alice was shown is not given to Bob, and her payment to it is credited to nobody', async () => {
    const lost = await newInvoice(alice);
    expect(lost.address).toBe(addressOf(1n));
    await restore();
    await expect(newInvoice(bob)).rejects.toMatchObject(unavailable);
    const finance = await createUser(testApp, { roleName: 'FINANCE' });
    const isOpen = async () => (await finance.call(getAttention, {})).data.restore;
    expect(await isOpen()).toEqual({ isOpen: true });

    expect(await skipShown(testApp.ctx, file, undefined)).toMatchObject({ skipped: [{ space: 'evm', count: 1n }] });
    expect(await skipShown(testApp.ctx, file, undefined)).toMatchObject({ skipped: [] });
    expect(await isOpen()).toEqual({ isOpen: false });
    expect((await newInvoice(bob)).address).toBe(addressOf(2n));

    chain.send({ asset: 'USDT', address: lost.address, units: 50_000_000n });
    chain.mine();
    chain.finalizedHeight = 1;
    await poll();
    expect([await balanceOf(testApp, alice), await balanceOf(testApp, bob)]).toEqual([0n, 0n]);
    const { data } = await finance.call(listUnassignedPayments, { query: {} });
    expect(data).toMatchObject([{ address: lost.address, amountInCurrency: '50.00', state: 'FINAL', userId: null }]);
  });

  test('the log says what to do, and the witness stays as it was', async () => {
    await newInvoice(alice);
    await restore();
    const error = vi.spyOn(testApp.ctx.log, 'error');
    const before = fs.readFileSync(file);
    const stop = keepWitness(testApp.ctx);
    await expect
      .poll(() => error.mock.calls.flat().join())
      .toContain('it was restored. No invoice is created until you run: npm run restored');
    stop();
    expect(fs.readFileSync(file)).toEqual(before);
  });

  test('without a witness a number is needed, and one is proposed', async () => {
    const lost = await newInvoice(alice);
    await restore();
    fs.rmSync(file);
    await newInvoice(bob);
    fs.rmSync(file);
    await expect(skipShown(testApp.ctx, file, undefined)).rejects.toThrow('--skip 200');
    expect(await skipShown(testApp.ctx, file, 3n)).toMatchObject({ skipped: [{ space: 'evm', count: 3n }] });
    expect(lost.address).toBe(addressOf(1n));
    expect((await newInvoice(alice)).address).toBe(addressOf(5n));
    await expect(skipShown(testApp.ctx, file, 3n)).rejects.toThrow('no number is needed');
  });
});

describe('the witness', () => {
  test('has an address before it is shown, also one that an earlier process has given', async () => {
    await newInvoice(alice);
    const [key] = Object.keys(witnessed().shown);
    expect(key).toMatch(/^evm \S+$/);
    expect(Object.values(witnessed().shown)).toEqual(['1']);
    fs.rmSync(file);
    await alice.call(listInvoices, { query: {} });
    expect(Object.values(witnessed().shown)).toEqual(['1']);
    await Promise.all(Array.from({ length: 4 }, async () => newInvoice(await createUser(testApp))));
    expect(Object.values(witnessed().shown)).toEqual(['5']);
  });

  test('that cannot be written lets no new address be shown, and known ones go on', async () => {
    await newInvoice(alice);
    const folder = path.dirname(file);
    const open = { ...testApp.ctx.config };
    Object.assign(testApp.ctx.config, { witnessFile: path.join(file, 'no-folder') });
    await expect(newInvoice(bob)).rejects.toMatchObject(unavailable);
    Object.assign(testApp.ctx.config, open);
    expect(fs.readdirSync(folder)).toEqual(['witness.json']);
    expect((await newInvoice(bob)).address).toBe(addressOf(2n));
    expect((await alice.call(listInvoices, { query: {} })).data[0]!.address).toBe(addressOf(1n));
  });

  test('that is damaged stops invoices, with a sentence', async () => {
    await newInvoice(alice);
    const error = vi.spyOn(testApp.ctx.log, 'error');
    fs.writeFileSync(file, fs.readFileSync(file).subarray(0, 30));
    await expect(newInvoice(bob)).rejects.toMatchObject(unavailable);
    expect(error.mock.calls[0]).toMatchObject([
      { err: { message: expect.stringContaining('is damaged') } },
      expect.any(String),
    ]);
    await expect(skipShown(testApp.ctx, file, undefined)).rejects.toThrow('is damaged');
  });

  test('of another installation says nothing, and one that is far ahead is not believed', async () => {
    await newInvoice(alice);
    const [key] = Object.keys(witnessed().shown);
    const write = (shown: Record<string, string>) =>
      fs.writeFileSync(file, JSON.stringify({ writtenAt: new Date().toISOString(), shown }));
    write({ 'evm of-another': '900' });
    expect((await newInvoice(bob)).address).toBe(addressOf(2n));
    write({ [key!]: '200002' });
    await expect(newInvoice(bob)).rejects.toMatchObject(unavailable);
    await expect(skipShown(testApp.ctx, file, undefined)).rejects.toThrow('200000 addresses ahead in evm');
  });

  test('is kept from the start of the API on, and not for the sandbox', async () => {
    await newInvoice(alice);
    fs.rmSync(file);
    keepWitness(testApp.ctx)();
    await expect.poll(() => fs.existsSync(file)).toBe(true);
    expect(Object.values(witnessed().shown)).toEqual(['1']);
    fs.rmSync(file);
    Object.assign(testApp.ctx.config, { isDevelopment: true });
    keepWitness(testApp.ctx)();
    await newInvoice(bob);
    expect(fs.existsSync(file)).toBe(false);
  });
});

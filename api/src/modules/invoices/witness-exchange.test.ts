/**
 * What gateways remember of the addresses that were shown, when the machine of the API has lost it.
 * @module-tag thorough
 */
import { createInvoice } from '@cellhop/contract/invoices';
import { GATEWAY_CONTRACT_VERSION, hello } from '@cellhop/contract/gateway';
import type { SealedWitness } from '@cellhop/contract/sealed-witness';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { ScriptedChain } from '../../../test/scripted-chain.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { temporaryDirectory } from '../../../../tools/temporary-directory.ts';
import { parseAccountKey } from '../../payments/derive/account-key.ts';
import { deriveAddress } from '../../payments/derive/addresses.ts';
import { registerNode } from '../gateway/gateway.service.ts';
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
let run: ReturnType<typeof createGatewayRun>;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  await testApp.reset();
  file = path.join(temporaryDirectory(), 'witness.json');
  Object.assign(testApp.ctx.config, { isDevelopment: false, witnessFile: file });
  const { payments } = testApp.ctx.config;
  payments.accounts = { evm: account };
  payments.urls = { ethereum: ['http://127.0.0.1:1'] };
  [alice, bob] = [await createUser(testApp), await createUser(testApp)];
  run = createGatewayRun(testApp);
  await testApp.database.query(
    `insert into exchange_rates (asset, rate_e12, source_count, accepted_at) values ('USDT', '1000000000000', 2, now())`,
  );
  await watchChain(testApp.ctx, 'ethereum', new ScriptedChain());
});
afterEach(() => vi.restoreAllMocks());

const newInvoice = async (user: TestUser) =>
  (await user.call(createInvoice, { body: { currency: 'USDT_ERC20', amount: 25 } })).data;
const status = { softwareVersion: '0.4.0', tunnels: 0, bytesPerSecond: 0 };
const beat = async (witness?: SealedWitness) =>
  (
    await run.call(hello, {
      body: { contractVersion: GATEWAY_CONTRACT_VERSION, runId: run.runId, status, ...(witness && { witness }) },
    })
  ).data;
const unavailable = { status: 503, code: 'UNAVAILABLE' };
const indexes = () => Object.values((JSON.parse(fs.readFileSync(file, 'utf8')) as { shown: object }).shown);
/** As every minute. */
async function compared() {
  const stop = keepWitness(testApp.ctx);
  const times = () => testApp.database.query('select from witness_time');
  await expect.poll(times).toHaveLength(1);
  stop();
}
async function restore() {
  await testApp.database.query('delete from invoices');
  await testApp.database.query('delete from deposit_addresses');
  await testApp.database.query('update wallet_accounts set next_index = 1');
}

test('a gateway alone remembers that Alice was shown an address, so that Bob does not get it', async () => {
  await newInvoice(alice);
  await newInvoice(bob);
  await compared();
  const { witness } = await beat();
  const { writtenAt } = JSON.parse(fs.readFileSync(file, 'utf8')) as { writtenAt: string };
  fs.rmSync(file);
  await restore();
  await testApp.database.query('update wallet_accounts set next_index = 2');
  const stop = keepWitness(testApp.ctx);
  await expect(newInvoice(bob)).rejects.toMatchObject(unavailable);
  expect(fs.existsSync(file)).toBe(false);
  await beat(witness);
  expect(indexes()).toEqual(['2']);
  expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toMatchObject({ writtenAt });
  await expect(newInvoice(bob)).rejects.toMatchObject(unavailable);
  stop();
  expect(await skipShown(testApp.ctx, file, undefined)).toMatchObject({ skipped: [{ space: 'evm', count: 1n }] });
  expect((await newInvoice(bob)).address).toBe(deriveAddress('evm', account, 3n));
});

describe('the start of an API without its witness', () => {
  test('creates no invoice for 90 seconds, in which gateways report', async () => {
    await newInvoice(alice);
    await compared();
    fs.rmSync(file);
    const stop = keepWitness(testApp.ctx);
    await expect(newInvoice(bob)).rejects.toMatchObject(unavailable);
    const startedAt = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => startedAt + 91_000);
    expect((await newInvoice(bob)).address).toBe(deriveAddress('evm', account, 2n));
    expect(indexes()).toEqual(['2']);
    stop();
  });

  test('waits for nobody where no API has kept one before, as after the upgrade to this release', async () => {
    await newInvoice(alice);
    fs.rmSync(file);
    const stop = keepWitness(testApp.ctx);
    expect((await newInvoice(bob)).address).toBe(deriveAddress('evm', account, 2n));
    await expect.poll(() => testApp.database.query('select from witness_time')).toHaveLength(1);
    expect((await newInvoice(await createUser(testApp))).address).toBe(deriveAddress('evm', account, 3n));
    stop();
  });
});

describe('what a gateway hands back', () => {
  test.each([
    ['forged', ({ sequence, sealed }: SealedWitness) => ({ sequence, sealed: `${sealed.slice(0, -8)}AAAAAAA=` })],
    ['with another number', ({ sealed }: SealedWitness) => ({ sequence: 900, sealed })],
    ['no witness at all', () => ({ sequence: 900, sealed: 'AAAA' })],
  ])('%s is refused with one sentence, and harms nothing', async (_, change) => {
    await newInvoice(alice);
    const { witness } = await beat();
    const before = fs.readFileSync(file);
    const warn = vi.spyOn(testApp.ctx.log, 'warn');
    expect((await beat(change(witness!))).witness).toMatchObject({ sequence: witness!.sequence });
    expect(warn.mock.calls.map(([, text]) => text)).toEqual([
      'The witness of a gateway was refused and changes nothing: no key of SECRET_KEY has sealed it',
    ]);
    expect(fs.readFileSync(file)).toEqual(before);
    expect((await newInvoice(bob)).address).toBe(deriveAddress('evm', account, 2n));
  });

  test('of another installation is refused, and one sealed with an older key is not', async () => {
    await newInvoice(alice);
    const { witness } = await beat();
    fs.rmSync(file);
    const { config } = testApp.ctx;
    const own = config.secretKeys;
    config.secretKeys = ['the key of another installation, long enough'];
    await beat(witness);
    expect(fs.existsSync(file)).toBe(false);
    config.secretKeys = ['a newer key of the same installation, long enough', ...own];
    await beat(witness);
    expect(indexes()).toEqual(['1']);
  });

  test('that is older than the file adds nothing to it', async () => {
    await newInvoice(alice);
    const { witness: older } = await beat();
    await newInvoice(bob);
    const before = fs.readFileSync(file);
    const warn = vi.spyOn(testApp.ctx.log, 'warn');
    const { witness } = await beat(older);
    expect(witness!.sequence).toBeGreaterThan(older!.sequence);
    expect(fs.readFileSync(file)).toEqual(before);
    expect(warn).not.toHaveBeenCalled();
  });

  test('tells a gateway nothing: neither accounts nor indexes can be read', async () => {
    await newInvoice(alice);
    const { witness } = await beat();
    expect(Buffer.from(witness!.sealed, 'base64').toString('latin1')).not.toContain('evm');
  });
});

test('a gateway without the field, a sandbox and a damaged file change nothing about a heartbeat', async () => {
  expect(await beat()).not.toHaveProperty('witness');
  await newInvoice(alice);
  expect(await beat()).toHaveProperty('witness');
  fs.writeFileSync(file, 'damaged');
  const error = vi.spyOn(testApp.ctx.log, 'error');
  expect(await beat()).not.toHaveProperty('witness');
  expect(error).toHaveBeenCalledOnce();
  Object.assign(testApp.ctx.config, { isDevelopment: true });
  expect(await beat()).not.toHaveProperty('witness');
});

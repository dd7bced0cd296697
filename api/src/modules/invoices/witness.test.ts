/** @module-tag thorough */
import { createInvoice, listInvoices } from '@cellhop/contract/invoices';
import { listNotifications } from '@cellhop/contract/notifications';
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
import { restored } from '../../commands/restored.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { parseAccountKey } from '../../payments/derive/account-key.ts';
import { deriveAddress } from '../../payments/derive/addresses.ts';
import { skipShown } from './restored.service.ts';
import { watchChain } from './watch.service.ts';
import { keepWitness, requireNotRestored } from './witness.service.ts';

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

const isSignedIn = (user: TestUser) =>
  user.call(listInvoices, { query: {} }).then(
    () => true,
    () => false,
  );
/** Until the witness was written after a comparison. */
const compared = async () => {
  const before = fs.readFileSync(file, 'utf8');
  const stop = keepWitness(testApp.ctx);
  await expect.poll(() => fs.readFileSync(file, 'utf8')).not.toBe(before);
  stop();
};
/** What the witness knows of the database. */
const change = (database: object) => {
  const known = JSON.parse(fs.readFileSync(file, 'utf8')) as { database: object };
  fs.writeFileSync(file, JSON.stringify({ ...known, database: { ...known.database, ...database } }));
};

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
    expect(await isOpen()).toMatchObject({ isOpen: true });

    expect(await skipShown(testApp.ctx, file, undefined)).toMatchObject({ skipped: [{ space: 'evm', count: 1n }] });
    expect(await skipShown(testApp.ctx, file, undefined)).toMatchObject({ skipped: [] });
    expect(await isOpen()).toMatchObject({ isOpen: false });
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

  test('staff who see the system get one mail, whichever API notices it and how often', async () => {
    const [admin, finance] = [
      await createUser(testApp, { roleName: 'ADMIN' }),
      await createUser(testApp, { roleName: 'FINANCE' }),
    ];
    await newInvoice(alice);
    await restore();
    const transactions = vi.spyOn(testApp.ctx, 'tx');
    for (let api = 1; api <= 3; api++) {
      const stop = keepWitness(testApp.ctx);
      await expect.poll(() => transactions.mock.calls.length).toBe(api);
      stop();
      await transactions.mock.results.at(-1)!.value;
    }
    const mailed = `select user_id as "userId" from sent_mails where template = 'database-restored'`;
    expect(await testApp.database.query(mailed)).toEqual([{ userId: admin.id }]);
    const { data } = await admin.call(listNotifications, { query: {} });
    expect(data.map(({ description }) => description)).toEqual(['The database was restored to an earlier time']);
    expect((await finance.call(listNotifications, { query: {} })).data).toEqual([]);
  });

  test('the command ends the sessions that the lost time may have changed, and says how much was lost', async () => {
    await newInvoice(alice);
    await restore();
    const until = new Date();
    const known = JSON.parse(fs.readFileSync(file, 'utf8')) as object;
    fs.writeFileSync(file, JSON.stringify({ ...known, writtenAt: until.toISOString() }));
    const setTime = async (user: TestUser, minutes: number) =>
      testApp.database.query(
        `update sessions set rotated_at = $2::timestamptz + $3 * interval '1 minute' where user_id = $1`,
        [user.id, until, minutes],
      );
    const [admin, idle, since] = [
      await createUser(testApp, { roleName: 'ADMIN' }),
      await createUser(testApp),
      await createUser(testApp),
    ];
    await setTime(alice, -45);
    await setTime(bob, -31);
    await setTime(idle, -300);
    await setTime(since, 1);
    await setTime(admin, 1);
    await testApp.database.query(
      `insert into witness_time (seen_at) values ($1::timestamptz - interval '30 minutes')
       on conflict (is_only) do update set seen_at = excluded.seen_at`,
      [until],
    );
    const order = restored.parse([]);
    const text = await order.run(testApp.ctx, undefined as never);
    expect(text).toContain('About 30 minutes were lost');
    expect(text).toContain('2 sessions that the lost time may have changed were ended');
    expect(text).toContain('Gateways carry 0 of 0 open connections.');
    expect(await Promise.all([alice, bob, idle, since].map(isSignedIn))).toEqual([false, false, true, true]);
    expect(await restored.parse([]).run(testApp.ctx, undefined as never)).toContain('nothing was changed');
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

describe('another database', () => {
  test.each([
    ['another server', { systemId: '7000000000000000000' }],
    ['another history of the same server', { timeline: 77 }],
    ['an earlier position in its history', { position: 'FFFFFFF0/0' }],
  ])('is told once and stops nothing: %s', async (words, database) => {
    await newInvoice(alice);
    await compared();
    const warn = vi.spyOn(testApp.ctx.log, 'warn');
    await compared();
    expect(warn).not.toHaveBeenCalled();
    change(database);
    await compared();
    await compared();
    expect(
      warn.mock.calls.flat().filter((text) => String(text).includes(`not the one of before: ${words}.`)),
    ).toHaveLength(1);
    expect((await newInvoice(bob)).address).toBe(addressOf(2n));
    const finance = await createUser(testApp, { roleName: 'FINANCE' });
    const { restore } = (await finance.call(getAttention, {})).data;
    expect(restore).toEqual({ isOpen: false, movedAt: expect.any(String) });
    change({});
    const known = JSON.parse(fs.readFileSync(file, 'utf8')) as object;
    fs.writeFileSync(file, JSON.stringify({ ...known, movedAt: new Date(Date.now() - 25 * 3_600_000).toISOString() }));
    expect((await finance.call(getAttention, {})).data.restore).toEqual({ isOpen: false, movedAt: null });
  });

  test('that does not tell its state has a witness of its addresses all the same', async () => {
    await newInvoice(alice);
    fs.rmSync(file);
    const query = testApp.ctx.db.query.bind(testApp.ctx.db);
    vi.spyOn(testApp.ctx.db, 'query').mockImplementation((text, ...rest) =>
      text.includes('pg_control_system') ? Promise.reject(new Error('permission denied')) : query(text, ...rest),
    );
    keepWitness(testApp.ctx)();
    await expect.poll(() => fs.existsSync(file)).toBe(true);
    expect(Object.values(witnessed().shown)).toEqual(['1']);
  });
});

describe('an invoice of another API at the same moment', () => {
  test('is not taken for a restore, because the witness is read before the accounts', async () => {
    await newInvoice(alice);
    const error = vi.spyOn(testApp.ctx.log, 'error');
    const query = testApp.ctx.db.query.bind(testApp.ctx.db);
    let count = 0;
    // It shows its address between the two reads, whichever comes first.
    vi.spyOn(testApp.ctx.db, 'query').mockImplementation(async (text, ...rest) => {
      const rows = await query(text, ...rest);
      if (!text.includes('from wallet_accounts')) return rows;
      count += 1;
      await query('update wallet_accounts set next_index = next_index + 1');
      const [key, index] = Object.entries(witnessed().shown)[0]!;
      const shown = { [key]: String(BigInt(index) + 1n) };
      fs.writeFileSync(file, JSON.stringify({ writtenAt: new Date().toISOString(), shown }));
      return rows;
    });
    await requireNotRestored(testApp.ctx);
    const stop = keepWitness(testApp.ctx);
    await expect.poll(() => count).toBe(2);
    await expect.poll(() => witnessed()).toMatchObject({ database: expect.any(Object) });
    stop();
    expect(error).not.toHaveBeenCalled();
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

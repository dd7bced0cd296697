/** @module-tag thorough */
import { RELATED_USERS_MAX } from '@cellhop/contract/limits';
import { connect } from '@cellhop/contract/connections';
import { createInvoice } from '@cellhop/contract/invoices';
import { permissions } from '@cellhop/contract/permissions';
import { countUserLists, listRelatedUsers } from '@cellhop/contract/staff/users';
import { createTicket } from '@cellhop/contract/tickets';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { countConcurrent } from '../../../test/concurrent-queries.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import type { Actor } from '../../http/actor.ts';
import { countLists } from './user-counts.service.ts';

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  // All sign-ins of the test come from one network.
  await testApp.database.query('delete from known_devices');
});
afterAll(() => testApp.stop());

const lone = async (email?: string) => {
  const user = await createUser(testApp, { ...(email !== undefined && { email }) });
  await testApp.database.query('delete from known_devices where user_id = $1', [user.id]);
  return user;
};
const seen = (user: TestUser, device: string, network: string, at = '2026-11-20T12:00:00Z') =>
  testApp.database.query('insert into known_devices (user_id, device, network, seen_at) values ($1, $2, $3, $4)', [
    user.id,
    device,
    network,
    at,
  ]);
const related = async (user: TestUser, actor = admin) => {
  const { data, isTruncated } = await actor.call(listRelatedUsers, { params: { id: user.id } });
  return { found: data.map(({ id, relation }) => [id, relation]), isTruncated };
};

test('finds accounts with the same normalized address, with tags and with dots where the provider ignores them', async () => {
  const one = await lone('many.names@gmail.com');
  const tagged = await lone('manynames+shop@gmail.com');
  const dotted = await lone('m.any.names@googlemail.com');
  await lone('many.names@example.com');
  await lone('manynames2@gmail.com');
  const { found } = await related(one);
  expect(found).toEqual([
    [dotted.id, 'SAME_PERSON'],
    [tagged.id, 'SAME_PERSON'],
  ]);
  const plain = await lone('some.body@example.com');
  await lone('somebody@example.com');
  expect((await related(plain)).found).toEqual([]);
  const withTag = await lone('some.body+2@example.com');
  expect((await related(plain)).found).toEqual([[withTag.id, 'SAME_PERSON']]);
});

test('who signed in from the same network is a hint, the same device first; unknown addresses are no network', async () => {
  const [user, sameDevice, otherDevice, elsewhere] = [await lone(), await lone(), await lone(), await lone()];
  await seen(user, 'Firefox on Windows', '203.0.113.0/24');
  await seen(user, 'Firefox on Windows', '0.0.0.0/24');
  await seen(otherDevice, 'Safari on iPhone', '203.0.113.0/24', '2026-11-21T12:00:00Z');
  await seen(sameDevice, 'Firefox on Windows', '203.0.113.0/24');
  await seen(elsewhere, 'Firefox on Windows', '0.0.0.0/24');
  expect(await related(user)).toEqual({
    found: [
      [sameDevice.id, 'SAME_NETWORK_AND_DEVICE'],
      [otherDevice.id, 'SAME_NETWORK'],
    ],
    isTruncated: false,
  });
});

test('a transaction that paid both, and connections used from one address or bought from one network, are in common', async () => {
  const users = await Promise.all([1, 2, 3, 4, 5].map(() => createUser(testApp, { balanceMicros: 5_000_000n })));
  await testApp.database.query('delete from known_devices');
  const [user, paid, client, bought, ended] = users as [TestUser, TestUser, TestUser, TestUser, TestUser];
  for (const [output, payer] of [user, paid].entries()) {
    const { id } = (await payer.call(createInvoice, { body: { amount: 10, currency: 'BTC' } })).data;
    await testApp.database.query(
      `insert into deposits (chain, asset, transaction_id, output, address_id, invoice_id, units, state, arrived_at)
       select 'bitcoin', 'BTC', $2, $3, address_id, id, 1, 'SEEN', now() from invoices where id = $1`,
      [id, 'cd'.repeat(32), output],
    );
  }
  const buy = async (buyer: TestUser) =>
    (await buyer.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } })).data.id;
  const [own, ofClient, ofBuyer, ofEnded] = [await buy(user), await buy(client), await buy(bought), await buy(ended)];
  await testApp.database.query('delete from purchase_networks');
  for (const id of [own, ofClient])
    await testApp.database.query(`insert into client_addresses (connection_id, address) values ($1, '203.0.113.5')`, [
      id,
    ]);
  for (const id of [own, ofBuyer])
    await testApp.database.query(`insert into purchase_networks (connection_id, network) values ($1, '203.0.113.6')`, [
      id,
    ]);
  await testApp.database.query(`insert into client_addresses (connection_id, address) values ($1, '203.0.113.7')`, [
    ofEnded,
  ]);
  const { found } = await related(user);
  expect(found[0]).toEqual([paid.id, 'SAME_PAYER']);
  expect(new Map(found.slice(1) as [string, string][])).toEqual(
    new Map([
      [client.id, 'SAME_CLIENT'],
      [bought.id, 'SAME_CLIENT'],
    ]),
  );
});

test('one wallet that paid for a few accounts is a payer in common; one that paid for many is an exchange', async () => {
  const names = ['user', 'other', 'third', 'fourth', 'fifth', 'sixth'] as const;
  const users = new Map(await Promise.all(names.map(async (name) => [name, await lone()] as const)));
  let paid = 0;
  const pay = async (name: (typeof names)[number], sender: string | null) => {
    const { id } = (await users.get(name)!.call(createInvoice, { body: { amount: 10, currency: 'USDT_TRC20' } })).data;
    await testApp.database.query(
      `insert into deposits (chain, asset, transaction_id, output, address_id, invoice_id, units, state, arrived_at, sender)
       select 'tron', 'USDT', $2, 0, address_id, id, 1, 'SEEN', now(), $3 from invoices where id = $1`,
      [id, `payment ${(paid += 1)}`, sender],
    );
  };
  // The two without a sender are not alike.
  for (const name of ['user', 'third'] as const) await pay(name, null);
  for (const name of ['user', 'user', 'other'] as const) await pay(name, 'TWallet');
  for (const name of names.slice(0, 5)) await pay(name, 'TExchange');
  const payers = async () => (await related(users.get('user')!)).found.map(([id]) => id);
  expect(new Set(await payers())).toEqual(new Set(names.slice(1, 5).map((name) => users.get(name)!.id)));
  await pay('sixth', 'TExchange');
  expect((await related(users.get('user')!)).found).toEqual([[users.get('other')!.id, 'SAME_PAYER']]);
});

test('lists a bounded number of those behind one address, and says that there are more', async () => {
  const user = await lone();
  await seen(user, 'Chrome on Android', '198.51.100.0/24');
  const crowd = await Promise.all(Array.from({ length: RELATED_USERS_MAX + 1 }, () => lone()));
  for (const each of crowd) await seen(each, 'Chrome on Android', '198.51.100.0/24');
  const { found, isTruncated } = await related(user);
  expect(found).toHaveLength(RELATED_USERS_MAX);
  expect(isTruncated).toBe(true);
});

test('counts the lists of a user that the caller may read', async () => {
  const user = await lone();
  await createUser(testApp, { referrerId: user.id });
  await user.call(createTicket, { body: { name: 'A question', description: 'How does it work?' } });
  const counts = async (actor: TestUser) => (await actor.call(countUserLists, { params: { id: user.id } })).data;
  expect(await counts(admin)).toEqual({
    referrals: 1,
    related: 0,
    connections: 0,
    invoices: 0,
    tickets: 1,
    promoCodes: 0,
    transactions: 0,
    notifications: 0,
    mails: 0,
  });
  const finance = await createUser(testApp, { roleName: 'FINANCE' });
  expect(await counts(finance)).toMatchObject({ tickets: null, connections: null, invoices: 0, transactions: 0 });
});

test('both need USERS_READ and a user', async () => {
  const customer = await lone();
  for (const endpoint of [listRelatedUsers, countUserLists] as const) {
    await expect(customer.call(endpoint, { params: { id: admin.id } })).rejects.toMatchObject({ status: 403 });
    await expect(admin.call(endpoint, { params: { id: randomUUID() } })).rejects.toMatchObject({ status: 404 });
  }
});

test('the counts take few connections to the database, not one for each list', async () => {
  const { ctx, most } = countConcurrent(testApp.ctx);
  const actor = { userId: admin.id, permissions: new Set(permissions) } as Pick<Actor, 'userId' | 'permissions'>;
  await countLists(ctx, actor as Actor, (await lone()).id);
  // The rows of a list, their number, and what belongs to them.
  expect(most()).toBeLessThanOrEqual(3);
});

import { connect, type Connection } from '@cellhop/contract/connections';
import { createInvoice, type Invoice } from '@cellhop/contract/invoices';
import type { FoundKind } from '@cellhop/contract/staff/lists.values';
import { searchEverything } from '@cellhop/contract/staff/search';
import { createTicket, type Ticket } from '@cellhop/contract/tickets';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

const CLIENT = '203.0.113.77';
const TRANSACTION = 'ab'.repeat(32);
const [TRON, TRON_HEX] = ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', '41a614f803b6fd780986a42c78ec9c7f77e6ded13c'];

let testApp: TestApp;
let admin: TestUser;
let user: TestUser;
let connection: Connection;
let invoice: Invoice;
let tronInvoiceId: string;
let ticket: Ticket;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  user = await createUser(testApp, { balanceMicros: 5_000_000n });
  connection = (await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } })).data;
  invoice = (await user.call(createInvoice, { body: { amount: 10, currency: 'BTC' } })).data;
  tronInvoiceId = (await user.call(createInvoice, { body: { amount: 20, currency: 'TRX' } })).data.id;
  await testApp.database.query(
    'update deposit_addresses set address = $2 where id = (select address_id from invoices where id = $1)',
    [tronInvoiceId, TRON],
  );
  ticket = (await user.call(createTicket, { body: { name: 'Throttled uploads', description: 'Since noon.' } })).data;
  await testApp.database.query(`insert into promo_codes (code, user_id) values ('SPRINGTIME', $1)`, [user.id]);
  await testApp.database.query('insert into client_addresses (connection_id, address) values ($1, $2)', [
    connection.id,
    CLIENT,
  ]);
  await testApp.database.query(
    `insert into deposits (chain, asset, transaction_id, output, address_id, invoice_id, units, state, arrived_at)
     select 'bitcoin', 'BTC', $2, 0, address_id, id, 1, 'SEEN', now() from invoices where id = $1`,
    [invoice.id, TRANSACTION],
  );
});
afterAll(() => testApp.stop());

const find = async (text: string, by = admin, at?: string) =>
  (await by.call(searchEverything, { query: { text, ...(at !== undefined && { at }) } })).data;

describe('the search of staff', () => {
  test.each<[string, () => string, FoundKind, () => string]>([
    ['a part of an email', () => user.email.slice(0, 8).toUpperCase(), 'USER', () => user.id],
    ['the id of a user', () => user.id.toUpperCase(), 'USER', () => user.id],
    ['the id of a connection', () => connection.id, 'CONNECTION', () => connection.id],
    ['the user name of a connection', () => connection.username, 'CONNECTION', () => connection.id],
    ['the IP of a connection', () => ` ${connection.ip} `, 'CONNECTION', () => connection.id],
    ['the id of an invoice', () => invoice.id, 'INVOICE', () => invoice.id],
    ['the address of an invoice', () => invoice.address, 'INVOICE', () => invoice.id],
    ['the beginning of the address of an invoice', () => invoice.address.slice(0, 9), 'INVOICE', () => invoice.id],
    ['the address of a client', () => CLIENT, 'CONNECTION', () => connection.id],
    ['a transaction', () => TRANSACTION, 'INVOICE', () => invoice.id],
    ['a transaction as Ethereum writes it', () => `0x${TRANSACTION.toUpperCase()}`, 'INVOICE', () => invoice.id],
    ['a transaction in base64', () => Buffer.from(TRANSACTION, 'hex').toString('base64'), 'INVOICE', () => invoice.id],
    ['an address in another form', () => TRON_HEX, 'INVOICE', () => tronInvoiceId],
    ['words of a ticket', () => 'uploads throt', 'TICKET', () => ticket.id],
    ['the id of a ticket', () => ticket.id, 'TICKET', () => ticket.id],
  ])('finds by %s', async (_name, text, kind, id) => {
    expect(await find(text())).toContainEqual(expect.objectContaining({ kind, id: id() }));
  });

  test('finds proxies and promo codes, with their users', async () => {
    expect(await find(connection.ip)).toContainEqual(
      expect.objectContaining({
        kind: 'PROXY',
        title: connection.ip,
        detail: 'DE, Berlin',
        place: { countryCode: 'DE', city: 'Berlin' },
      }),
    );
    expect(await find('springt')).toEqual([
      { kind: 'PROMO_CODE', id: expect.any(String) as string, title: 'SPRINGTIME', detail: user.email },
    ]);
  });

  test('tells the amount and the currency of an invoice, and whose the address is', async () => {
    expect(await find(invoice.address)).toEqual([
      { kind: 'USER', id: user.id, title: user.email, detail: '', use: 'PAYMENT' },
      expect.objectContaining({ id: invoice.id, invoice: { amount: 10, currency: 'BTC' } }),
    ]);
  });

  test('finds who had an address at a time, with state and dates', async () => {
    const { id, createdAt: from } = connection;
    const period = { from, to: null };
    expect(await find(connection.ip)).toContainEqual(expect.objectContaining({ id, status: 'WORK', period }));
    const at = (time: string) => find(connection.ip, admin, time);
    expect(await at(new Date().toISOString())).toContainEqual(expect.objectContaining({ id, period }));
    expect((await at('2026-01-01T00:00:00.000Z')).filter(({ kind }) => kind === 'CONNECTION')).toEqual([]);
    await expect(find(user.email, admin, from)).rejects.toMatchObject({ status: 400 });
  });

  test('finds the users of a client and of sign-ins, each once, the sign-ins until the time', async () => {
    const signedIn = await createUser(testApp);
    const signIn = (userId: string, time: string) =>
      testApp.database.query(
        `insert into audit_log (action, actor_id, subject_type, subject_id, ip, created_at) values ('SIGN_IN', $1, 'USER', $1, $2, $3)`,
        [userId, CLIENT, time],
      );
    const [first, last] = ['2026-03-01T10:00:00.000Z', '2026-04-01T10:00:00.000Z'];
    for (const time of [first, last]) await signIn(signedIn.id, time);
    await signIn(user.id, '2026-02-28T10:00:00.000Z');
    const users = async (by = admin, at?: string) => (await find(CLIENT, by, at)).filter(({ kind }) => kind === 'USER');
    const byClient = { id: user.id, use: 'CLIENT', period: { from: connection.createdAt, to: null } };
    const bySignIn = (time: string) => ({ id: signedIn.id, use: 'SIGN_IN', period: { from: time, to: time } });
    expect(await users()).toMatchObject([byClient, bySignIn(last)]);
    expect(await users(admin, '2026-03-15T00:00:00.000Z')).toMatchObject([
      bySignIn(first),
      { id: user.id, use: 'SIGN_IN' },
    ]);
    const finance = await createUser(testApp, { roleName: 'FINANCE' });
    // Without CONNECTIONS_READ nobody learns who uses a connection.
    expect((await users(finance)).filter(({ use }) => use === 'CLIENT')).toEqual([]);
  });

  test('finds nothing for unknown texts', async () => {
    for (const text of [
      randomUUID(),
      '203.0.113.250',
      'nothing-like-this',
      "'; drop table users; --",
      '%%%',
      'smile \u{1F600}',
      // No wildcards, and too short for the beginning of an address.
      `${invoice.address.slice(0, 8)}%`,
      invoice.address.slice(0, 5),
    ])
      expect(await find(text)).toEqual([]);
  });

  test('finds only what the role may read', async () => {
    const finance = await createUser(testApp, { roleName: 'FINANCE' });
    expect(await find(connection.ip, finance)).toEqual([]);
    expect(await find(invoice.address, finance)).toContainEqual(expect.objectContaining({ id: invoice.id }));
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    expect(await find(invoice.address, support)).toEqual([]);
    await expect(find('anything', user)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(find('ab')).rejects.toMatchObject({ status: 400 });
  });
});

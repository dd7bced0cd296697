import { connect } from '@cellhop/contract/connections';
import { startView } from '@cellhop/contract/staff/view-as';
import { createTicket, sendTicketMessage } from '@cellhop/contract/tickets';
import { exportOwnData } from '@cellhop/contract/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProxy, createUser } from '../../../test/factories.ts';
import { newInvoice } from '../../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

test('a user downloads what is stored about them, without passwords and without data of others', async () => {
  const [user, other] = [await createUser(testApp, { balanceMicros: 5_000_000n }), await createUser(testApp)];
  const { data: bought } = await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
  const invoice = await newInvoice(user);
  const { data: ticket } = await user.call(createTicket, { body: { name: 'A "question"', description: 'It is slow' } });
  await user.call(sendTicketMessage, { params: { id: ticket.id }, body: { content: 'Line one\nLine two' } });
  await newInvoice(other);
  const text = await user.call(exportOwnData, {});
  const own = JSON.parse(text) as Record<string, unknown>;
  expect(own).toMatchObject({
    profile: { id: user.id, email: user.email, balance: 4.6 },
    company: { name: '' },
    sessions: [{ isCurrent: true }],
    connections: [{ id: bought.id, username: bought.username, paidFor: 0.4 }],
    invoices: [{ id: invoice.id }],
    tickets: [{ name: 'A "question"', messages: [{ content: 'Line one\nLine two' }] }],
    transactionsCsv: expect.stringMatching(/^id,createdAt,[^]*PREPAID_50_MB[^]*TOP_UP/),
  });
  expect(text).not.toContain(bought.password!);
  expect(text).not.toContain(other.email);
});

test('it contains the rows of all pages', async () => {
  const user = await createUser(testApp);
  await testApp.database.query(
    `insert into notifications (user_id, idempotency_key, kind, details)
     select $1, number::text, 'TOP_UP', '{"amount":1}' from generate_series(1, 250) as number`,
    [user.id],
  );
  const own = JSON.parse(await user.call(exportOwnData, {})) as { notifications: { id: string }[] };
  expect(new Set(own.notifications.map(({ id }) => id)).size).toBe(250);
});

test('staff who see the app as the user cannot download it', async () => {
  const [admin, user] = [await createUser(testApp, { roleName: 'ADMIN' }), await createUser(testApp)];
  const { data } = await admin.call(startView, { params: { id: user.id }, body: { reason: 'they asked for help' } });
  const response = await fetch(`${testApp.url}/v1/profile/export`, {
    headers: { authorization: `Bearer ${data.accessToken}` },
  });
  expect(response.status).toBe(403);
});

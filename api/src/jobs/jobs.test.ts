import { connect, disconnect } from '@cellhop/contract/connections';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProxy, createUser } from '../../test/factories.ts';
import { createGatewayRun } from '../../test/gateway-client.ts';
import { newInvoice, pay } from '../../test/sandbox-payments.ts';
import { adjust, settle } from '../../test/staff-requests.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { enqueue } from './jobs.ts';
import { warnOfLowBalances } from '../modules/billing/alerts.service.ts';
import { endIdleConnections } from '../modules/billing/end-idle-connections.service.ts';
import { expireInvoices } from '../modules/invoices/watch.service.ts';
import { registerNode } from '../modules/gateway/gateway.service.ts';

const MB = 1_048_576;

let testApp: TestApp;
let client: pg.Client;
/** Notifications of the job runner about new jobs, in commit order. */
const received: string[] = [];
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
  client = new pg.Client({ connectionString: testApp.ctx.config.databaseUrl });
  await client.connect();
  client.on('notification', ({ payload }) => received.push(payload ?? ''));
  await client.query('listen "jobs:insert"');
});
afterAll(async () => {
  await client.end();
  await testApp.stop();
});

const buy = async (user: Awaited<ReturnType<typeof createUser>>) =>
  (await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } })).data;

test('transactions that move money enqueue no job, because its notification would serialize all commits', async () => {
  const referrer = await createUser(testApp);
  const user = await createUser(testApp, { referrerId: referrer.id });
  received.length = 0;

  await pay(testApp, await newInvoice(user));
  const staff = await createUser(testApp, { roleName: 'ADMIN' });
  for (const amount of [5, -1, 200]) await adjust(staff, user, amount);
  await settle(staff, await newInvoice(user));
  const run = createGatewayRun(testApp);
  const [used, unused, abandoned] = [await buy(user), await buy(user), await buy(user)];
  for (const connection of [used, unused, abandoned]) await run.authorize(connection);
  await run.report(used.id, 51 * MB, MB);
  await run.report(used.id, 60 * MB, MB);
  for (const connection of [used, unused]) await user.call(disconnect, { params: { id: connection.id } });
  await run.end(used.id, 60 * MB);
  await run.end(unused.id, 0);
  // Its gateway never sends the last report, so the worker bills it.
  await testApp.database.query(
    `update connections set ending_reason = 'USER', ending_at = now() - interval '10 seconds' where id = $1`,
    [abandoned.id],
  );
  await endIdleConnections(testApp.ctx);
  await warnOfLowBalances(testApp.ctx);
  await expireInvoices(testApp.ctx);
  expect(await testApp.database.query('select from connections where ended_at is null')).toEqual([]);
  expect(received).toEqual([]);

  // Notifications arrive in commit order, so all earlier ones have arrived with this one.
  await enqueue(testApp.ctx, 'mail.none', { link: 'https://example.com' });
  await expect.poll(() => received.length).toBeGreaterThan(0);
  expect(received).toHaveLength(1);
  expect(await testApp.database.query('select from graphile_worker.jobs')).toHaveLength(1);
});

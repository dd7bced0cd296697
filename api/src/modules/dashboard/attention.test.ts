import { recoverPassword } from '@cellhop/contract/auth';
import { permissions } from '@cellhop/contract/permissions';
import { type Attention, attentionParts, getAttention } from '@cellhop/contract/staff/dashboard';
import { answerTicket } from '@cellhop/contract/staff/tickets';
import { createTicket } from '@cellhop/contract/tickets';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { countConcurrent } from '../../../test/concurrent-queries.ts';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { newInvoice, pay } from '../../../test/sandbox-payments.ts';
import { adjust } from '../../../test/staff-requests.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { sandboxRates } from '../../dev/sandbox.ts';
import { registerNode } from '../gateway/gateway.service.ts';
import { readAttention } from './attention.service.ts';
import { updateSums } from './sums.service.ts';

let testApp: TestApp;
let admin: TestUser;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
});
beforeEach(async () => {
  await testApp.reset();
  [admin, user] = [await createUser(testApp, { roleName: 'ADMIN' }), await createUser(testApp)];
});
afterEach(async () => {
  vi.restoreAllMocks();
  await testApp.database.query('update chain_cursors set paused_at = null');
  await testApp.database.query('update reconciliation set checked_at = null, violation_count = 0');
});
afterAll(() => testApp.stop());

const read = async (staff: TestUser = admin): Promise<Attention> => (await staff.call(getAttention, {})).data;
const openTicket = async (name: string) =>
  (await user.call(createTicket, { body: { name, description: 'Nothing arrives.' } })).data;

const nothing: Attention = {
  approvals: { waiting: 0, list: null },
  tickets: { waiting: 0, oldest: null },
  heldPayments: 0,
  unhealthyProxies: 0,
  proxiesElsewhere: 0,
  unreadableFiles: [],
  silentNodes: 0,
  failingNodes: [],
  endingCertificates: [],
  spentBudgets: 0,
  troubledChains: [],
  failedJobs: 0,
  mails: { lateSince: null },
  machine: { fullDisk: null, lateBackup: null },
  restore: { isOpen: false, movedAt: null },
  moneyCheck: { isBroken: false, violationCount: 0 },
};

test('nothing waits', async () => {
  expect(await read()).toEqual(nothing);
});

test('the ticket that waits longest is named, until staff have answered', async () => {
  const [first, second] = [await openTicket('No traffic'), await openTicket('Slow since today')];
  expect(await read()).toMatchObject({ tickets: { waiting: 2, oldest: { id: first.id, name: 'No traffic' } } });
  await admin.call(answerTicket, { params: { id: first.id }, body: { content: 'Please try again.' } });
  expect((await read()).tickets).toMatchObject({ waiting: 1, oldest: { id: second.id } });
});

test('a mail that has waited for 15 minutes needs attention, and is a metric', async () => {
  const age = async (seconds: number) => {
    await testApp.database.query(
      `update graphile_worker._private_jobs set created_at = now() - $1 * interval '1 second'`,
      [seconds],
    );
    const text = await (await fetch(`${testApp.url}/metrics`)).text();
    return Number(/^mail_oldest_seconds (\S+)$/m.exec(text)![1]);
  };
  expect(await age(0)).toBe(0);
  await testApp.call(recoverPassword, { body: { email: user.email } });
  expect(await age(880)).toBeCloseTo(880, -1);
  expect((await read()).mails).toEqual({ lateSince: null });
  expect(await age(901)).toBeCloseTo(901, -1);
  expect(Date.parse((await read()).mails!.lateSince!)).toBeLessThanOrEqual(Date.now() - 900_000);
  const support = await createUser(testApp, { roleName: 'SUPPORT' });
  expect((await read(support)).mails).toBeNull();
});

test('a request waits for others than its author', async () => {
  const author = await createUser(testApp, { roleName: 'FINANCE' });
  await adjust(author, user, 500);
  expect((await read()).approvals).toEqual({ waiting: 1, list: 'ADJUSTMENT' });
  expect((await read(author)).approvals).toEqual({ waiting: 0, list: null });
});

test('a gateway whose certificate ends soon is named, until the new one is reported', async () => {
  const certificateEndsSoon = async (days: number | null) => {
    await testApp.database.query(
      `insert into gateway_nodes (name, token_hash, certificate_ends_soon_at)
       values ('certified', sha256('certified'), now() + $1 * interval '1 day')
       on conflict (name) do update set certificate_ends_soon_at = excluded.certificate_ends_soon_at`,
      [days],
    );
    return (await read()).endingCertificates;
  };
  expect(await certificateEndsSoon(-1)).toEqual(['certified']);
  expect(await certificateEndsSoon(1)).toEqual([]);
  expect(await certificateEndsSoon(null)).toEqual([]);
  await testApp.database.query("delete from gateway_nodes where name = 'certified'");
});

test('a payment on hold', async () => {
  vi.spyOn(sandboxRates, 'peg').mockResolvedValue({ isKept: false, marketE12: 80n * 10n ** 10n });
  await pay(testApp, await newInvoice(user, 'USDT_ERC20', 25));
  expect((await read()).heldPayments).toBe(1);
});

test('an unhealthy proxy, once the worker has counted it', async () => {
  await createProxy(testApp, { isHealthy: false });
  await createProxy(testApp);
  await updateSums(testApp.ctx);
  expect((await read()).unhealthyProxies).toBe(1);
});

test('a gateway that does not report, unless it is drained', async () => {
  await registerNode(testApp.ctx);
  expect((await read()).silentNodes).toBe(1);
  await testApp.database.query(
    'insert into gateway_runs (id, node_id) select gen_random_uuid(), id from gateway_nodes',
  );
  expect((await read()).silentNodes).toBe(0);
  await testApp.database.query("update gateway_runs set seen_at = now() - interval '1 minute'");
  expect((await read()).silentNodes).toBe(1);
  await testApp.database.query('update gateway_nodes set is_draining = true');
  expect((await read()).silentNodes).toBe(0);
});

test('a chain on which no invoices are created', async () => {
  await testApp.database.query("update chain_cursors set paused_at = now() where chain = 'litecoin'");
  expect((await read()).troubledChains).toEqual(['litecoin']);
});

test('jobs that have failed for good, at most a hundred', async () => {
  await testApp.database.query("select graphile_worker.add_job('mail.deliver', '{}') from generate_series(1, 101)");
  expect((await read()).failedJobs).toBe(0);
  const fail = 'update graphile_worker._private_jobs set attempts = max_attempts';
  await testApp.database.query(`${fail} where id in (select id from graphile_worker._private_jobs limit 2)`);
  expect((await read()).failedJobs).toBe(2);
  await testApp.database.query(fail);
  expect((await read()).failedJobs).toBe(100);
});

test('money that does not add up', async () => {
  await testApp.database.query('update reconciliation set checked_at = now(), violation_count = 3');
  expect((await read()).moneyCheck).toEqual({ isBroken: true, violationCount: 3 });
});

test.each([
  ['SUPPORT', ['tickets']],
  ['FINANCE', ['heldPayments', 'moneyCheck', 'restore']],
  ['ADMIN', Object.keys(attentionParts).toSorted()],
])('%s reads what the role may read', async (roleName, parts) => {
  const { approvals, ...all } = await read(await createUser(testApp, { roleName }));
  expect(approvals.waiting).toBe(0);
  const opened = Object.entries(all).filter(([, part]) => part !== null);
  expect(opened.map(([name]) => name).toSorted()).toEqual(parts);
});

test('customers are refused', async () => {
  await expect(read(user)).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

test('one connection to the database at a time is enough', async () => {
  const { ctx, most } = countConcurrent(testApp.ctx);
  await readAttention(ctx, { userId: admin.id, permissions: new Set(permissions) });
  expect(most()).toBe(1);
});

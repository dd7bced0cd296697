import { connect, type Connection } from '@cellhop/contract/connections';
import { BULK_CONNECTIONS_MAX } from '@cellhop/contract/limits';
import { endSeveralConnections } from '@cellhop/contract/staff/connections';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { balanceOf, createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { registerNode } from '../gateway/gateway.service.ts';

const MB = 1_048_576;

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

const customer = () => createUser(testApp, { balanceMicros: 5_000_000n });
const buy = async (user: TestUser): Promise<Connection> =>
  (await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } })).data;
const end = async (actor: TestUser, ids: string[], reason?: string) =>
  (await actor.call(endSeveralConnections, { body: { ids, reason } })).data;
const entriesOf = (id: string) =>
  testApp.database.query(
    `select actor_id as "actorId", user_id as "userId", details ->> 'reason' as reason from audit_log
      where action = 'CONNECTION_ENDED' and subject_id = $1`,
    [id],
  );

test('ends connections of several users, each with an entry; a repeated request changes nothing', async () => {
  const users = [await customer(), await customer()];
  const idle = await buy(users[0]!);
  const used = await buy(users[1]!);
  const run = createGatewayRun(testApp);
  await run.authorize(used);
  await run.report(used.id, 3 * MB);
  const missing = randomUUID();
  const ending = end(admin, [idle.id, used.id, missing], 'an abuse report');
  // Its gateway sends the last report, as the end is announced to it.
  await expect.poll(() => run.report(used.id, 3 * MB, MB)).toMatchObject({ state: 'ended' });
  await run.end(used.id, 3 * MB);
  expect(await ending).toEqual([
    { id: idle.id, outcome: 'ENDED' },
    { id: used.id, outcome: 'ENDED' },
    { id: missing, outcome: 'UNCHANGED' },
  ]);
  expect(await balanceOf(testApp, users[0]!)).toBe(5_000_000n);
  expect(await balanceOf(testApp, users[1]!)).toBe(5_000_000n - 3n * 8000n);
  expect(await end(admin, [idle.id, used.id])).toEqual([
    { id: idle.id, outcome: 'UNCHANGED' },
    { id: used.id, outcome: 'UNCHANGED' },
  ]);
  for (const [index, { id }] of [idle, used].entries())
    expect(await entriesOf(id)).toEqual([{ actorId: admin.id, userId: users[index]!.id, reason: 'an abuse report' }]);
});

test('an id in capitals is the same id', async () => {
  const { id } = await buy(await customer());
  expect(await end(admin, [id.toUpperCase(), id])).toEqual([{ id, outcome: 'ENDED' }]);
});

test('requires CONNECTIONS_EDIT and a bounded number', async () => {
  const support = await createUser(testApp, { roleName: 'SUPPORT' });
  const connection = await buy(await customer());
  await expect(end(support, [connection.id])).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
  const many = Array.from({ length: BULK_CONNECTIONS_MAX + 1 }, () => randomUUID());
  for (const ids of [[], many]) await expect(end(admin, ids)).rejects.toMatchObject({ code: 'VALIDATION' });
  expect(await entriesOf(connection.id)).toEqual([]);
});

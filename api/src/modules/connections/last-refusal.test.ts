/**
 * The reason of the last refusal, which the owner of a connection sees.
 * @module-tag thorough
 */
import { connect, disconnect, listConnections } from '@cellhop/contract/connections';
import { REFUSAL_REPORT_MS, update } from '@cellhop/contract/gateway';
import { listAllConnections } from '@cellhop/contract/staff/connections';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { addNode, registerNode } from '../gateway/gateway.service.ts';

let testApp: TestApp;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
  user = await createUser(testApp, { balanceMicros: 100_000_000n });
});
afterAll(() => testApp.stop());

const buy = async () => (await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } })).data;
const shown = async (id: string) => (await user.call(listConnections, { query: { id } })).data[0]!.lastRefusal;
/** Pretends that the stored refusal was earlier. */
const age = (id: string) =>
  testApp.database.query(
    `update last_refusals set refused_at = refused_at - $2 * interval '1 millisecond' where connection_id = $1`,
    [id, REFUSAL_REPORT_MS],
  );

function report(run: ReturnType<typeof createGatewayRun>, connectionId: string, reason: string, agoMs = 0) {
  const refusal = { reason, agoMs };
  const usage = { connectionId, usedBytes: 0, uploadedBytes: 0, isExitLost: false, wantedBytes: 0, accessRevision: 1 };
  return run.call(update, { body: { runId: run.runId, usages: [{ ...usage, refusal }] } });
}

test('a connection has none until a gateway refuses one of its clients', async () => {
  const connection = await buy();
  expect(connection.lastRefusal).toBeNull();
  expect(await shown(connection.id)).toBeNull();
});

test('what a gateway reports is shown to the owner and to staff, with its time', async () => {
  const { id } = await buy();
  await report(createGatewayRun(testApp), id, 'cap-reached', 60_000);
  const refusal = await shown(id);
  expect(refusal?.reason).toBe('cap-reached');
  expect(Date.now() - Date.parse(refusal!.refusedAt)).toBeGreaterThanOrEqual(59_000);
  const staff = await createUser(testApp, { roleName: 'SUPPORT' });
  expect((await staff.call(listAllConnections, { query: { id } })).data[0]!.lastRefusal).toEqual(refusal);
});

test('a wrong password is shown, which the response does not tell the gateway, and is stored once in an interval', async () => {
  const { id, username } = await buy();
  const run = createGatewayRun(testApp);
  expect(await run.authorize({ username, password: 'wrong' })).toEqual({ isAuthorized: false });
  await expect.poll(() => shown(id)).toMatchObject({ reason: 'invalid-credentials' });
  const first = await shown(id);
  // With the transactions that have written or locked it.
  const row = () =>
    testApp.database.query('select *, xmin, xmax, ctid from last_refusals where connection_id = $1', [id]);
  const written = await row();
  for (const password of ['1', '2', '3']) await run.authorize({ username, password });
  await report(run, id, 'invalid-credentials');
  expect(await row()).toEqual(written);
  await age(id);
  await report(run, id, 'invalid-credentials');
  expect(Date.parse((await shown(id))!.refusedAt)).toBeGreaterThanOrEqual(Date.parse(first!.refusedAt));
});

test('the right password of an ended connection shows why it ended, also soon after a wrong one', async () => {
  const connection = await buy();
  await user.call(disconnect, { params: { id: connection.id } });
  const run = createGatewayRun(testApp);
  await run.authorize({ ...connection, password: 'wrong' });
  await expect.poll(() => shown(connection.id)).toMatchObject({ reason: 'invalid-credentials' });
  expect(await run.authorize(connection)).toEqual({ isAuthorized: false, reason: 'USER' });
  await expect.poll(() => shown(connection.id)).toMatchObject({ reason: 'ended-by-user' });
});

test('an older refusal, one of another node, or one that is no name changes nothing', async () => {
  const { id } = await buy();
  const run = createGatewayRun(testApp);
  await report(run, id, 'no-credit');
  await report(run, id, 'node-full', 60_000);
  const other = createGatewayRun(testApp, await addNode(testApp.ctx, 'other'));
  await report(other, id, 'node-full');
  await report(run, id, 'Not a name');
  expect(await shown(id)).toMatchObject({ reason: 'no-credit' });
});

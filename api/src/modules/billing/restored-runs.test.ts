/**
 * After a restore of the database, what gateways have carried since the backup is charged by their next reports.
 * @module-tag thorough
 */
import { connect, type Connection } from '@cellhop/contract/connections';
import { BYTES_PER_MEGABYTE as MB } from '@cellhop/contract/limits';
import { GATEWAY_CONTRACT_VERSION, hello } from '@cellhop/contract/gateway';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { forgetContent, rememberContent, restoreContent } from '../../../test/database-content.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { addNode, registerNode } from '../gateway/gateway.service.ts';

let testApp: TestApp;
let user: TestUser;
let connection: Connection;
let run: ReturnType<typeof createGatewayRun>;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
});
afterAll(() => testApp.stop());
/** The backup is of a connection that has used 60 MB. */
beforeEach(async () => {
  user = await createUser(testApp, { balanceMicros: 10_000_000n });
  const id = await createProxy(testApp, { priceMicros: 800_000n });
  connection = (await user.call(connect, { body: { id, price: 0.8 } })).data;
  run = createGatewayRun(testApp);
  await run.authorize(connection);
  await run.report(connection.id, 40 * MB, 30 * MB);
  await run.report(connection.id, 60 * MB, 30 * MB);
  await forgetContent(testApp.database, 'remembered');
  await rememberContent(testApp.database, 'remembered');
});

const restore = () => restoreContent(testApp.database, 'remembered');
/** As a gateway does: what is granted is used, and more is wanted. */
async function use(by: typeof run, fromMegabytes: number, toMegabytes: number) {
  for (let megabytes = fromMegabytes; megabytes <= toMegabytes; megabytes += 10)
    expect((await by.report(connection.id, megabytes * MB, 30 * MB)).state).toBe('open');
}
/** It has used so much, and reports it until it is acknowledged. */
async function catchUp(by: typeof run, megabytes: number) {
  for (let count = 0; count < 10; count++)
    expect((await by.report(connection.id, megabytes * MB, 30 * MB)).state).toBe('open');
}
async function charged() {
  const [{ megabytes, writtenOff, used }] = (await testApp.database.query(
    `select charged_megabytes::int as megabytes, written_off_bytes::int as "writtenOff", (used_bytes / ${MB})::int as used
       from connections where id = $1`,
    [connection.id],
  )) as [{ megabytes: number; writtenOff: number; used: number }];
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  return { megabytes, writtenOff, used };
}

test('a run that went on catches up with its total', async () => {
  await use(run, 70, 150);
  expect(await charged()).toEqual({ megabytes: 150, writtenOff: 0, used: 150 });
  await restore();
  expect(await charged()).toEqual({ megabytes: 60, writtenOff: 0, used: 60 });
  await catchUp(run, 150);
  expect(await charged()).toEqual({ megabytes: 150, writtenOff: 0, used: 150 });
});

test('a gateway that was restarted meanwhile catches up with its run, which is younger than the backup', async () => {
  await run.end(connection.id, 80 * MB);
  const next = createGatewayRun(testApp);
  await next.authorize(connection);
  await use(next, 10, 90);
  expect(await charged()).toEqual({ megabytes: 170, writtenOff: 0, used: 170 });
  await restore();
  await catchUp(next, 90);
  // The process of the first run is gone, and with it 20 MB that it has carried since the backup.
  expect(await charged()).toEqual({ megabytes: 150, writtenOff: 0, used: 150 });
  await use(next, 100, 120);
  expect(await charged()).toEqual({ megabytes: 180, writtenOff: 0, used: 180 });
  await next.end(connection.id, 121 * MB);
  expect(await charged()).toEqual({ megabytes: 181, writtenOff: 0, used: 181 });
});

test('a younger run whose heartbeat comes first catches up, too', async () => {
  const next = createGatewayRun(testApp);
  await next.authorize(connection);
  await use(next, 10, 30);
  await restore();
  const status = { softwareVersion: '0.4.0', tunnels: 1, bytesPerSecond: 0 };
  await next.call(hello, { body: { contractVersion: GATEWAY_CONTRACT_VERSION, runId: next.runId, status } });
  await catchUp(next, 30);
  expect(await charged()).toEqual({ megabytes: 90, writtenOff: 0, used: 90 });
});

test('a run of another node catches up with nothing, and what was bought in the lost time has ended', async () => {
  const stranger = createGatewayRun(testApp, await addNode(testApp.ctx, 'another'));
  expect(await stranger.report(connection.id, 10 * MB, MB)).toMatchObject({ state: 'ended', grantedBytes: 0 });
  const proxyId = await createProxy(testApp, { priceMicros: 800_000n });
  const { data: lost } = await user.call(connect, { body: { id: proxyId, price: 0.8 } });
  await run.authorize(lost);
  await restore();
  expect(await run.report(lost.id, 10 * MB, MB)).toMatchObject({ state: 'ended', grantedBytes: 0 });
  expect(await charged()).toEqual({ megabytes: 60, writtenOff: 0, used: 60 });
});

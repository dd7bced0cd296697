/** @module-tag thorough */
import { connect, type Connection } from '@cellhop/contract/connections';
import { BYTES_PER_MEGABYTE as MB } from '@cellhop/contract/limits';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { balanceOf, createProxy, createUser, topUp, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { registerNode } from '../gateway/gateway.service.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

async function buy(user: TestUser, priceMicros: bigint): Promise<Connection> {
  const id = await createProxy(testApp, { priceMicros });
  return (await user.call(connect, { body: { id, price: Number(priceMicros) / 1e6 } })).data;
}

async function writtenOffMegabytes({ id }: Connection): Promise<number> {
  const [row] = await testApp.database.query<{ bytes: bigint }>(
    'select written_off_bytes as bytes from connections where id = $1',
    [id],
  );
  return Number(row!.bytes) / MB;
}

/**
 * Three runs of a node, each started after the previous one was killed. The first two have unreported bytes, the third has a
 * grant. The balance is spent.
 */
async function lateRuns() {
  const user = await createUser(testApp, { balanceMicros: 600_000n });
  const connection = await buy(user, 800_000n);
  const [first, second, third] = [createGatewayRun(testApp), createGatewayRun(testApp), createGatewayRun(testApp)];
  await first.authorize(connection);
  await first.report(connection.id, 50 * MB, 12 * MB);
  await first.fallSilent('6 seconds');
  await second.authorize(connection);
  await second.report(connection.id, 0, 5 * MB);
  await second.fallSilent('6 seconds');
  await third.authorize(connection);
  await third.report(connection.id, 0, 3 * MB);
  await buy(user, 352_000n);
  return { user, connection, first, second, third };
}

test('written-off bytes are the sum over all runs, however often and in any order they report', async () => {
  const { connection, first, second } = await lateRuns();
  for (const [run, megabytes, writtenOff] of [
    [first, 52, 2],
    [first, 52, 2],
    [first, 51, 2],
    [first, 53, 3],
    [second, 1, 4],
    [first, 53, 4],
    [second, 2, 5],
  ] as const) {
    await run.report(connection.id, megabytes * MB);
    expect(await writtenOffMegabytes(connection)).toBe(writtenOff);
  }
});

test('money added later pays for bytes that are reported again, and reduces the write-off', async () => {
  const { user, connection, first, second } = await lateRuns();
  await first.report(connection.id, 53 * MB);
  await second.report(connection.id, MB);
  await topUp(testApp, user.accountId, 24_000n);
  const before = await balanceOf(testApp, user);
  await first.report(connection.id, 53 * MB);
  expect(before - (await balanceOf(testApp, user))).toBe(24_000n);
  expect(await writtenOffMegabytes(connection)).toBe(1);
});

test('write-offs stay when their run is reopened', async () => {
  const { connection, second } = await lateRuns();
  await second.report(connection.id, 2 * MB);
  await second.authorize(connection);
  expect(await writtenOffMegabytes(connection)).toBe(2);
  await second.report(connection.id, MB);
  expect(await writtenOffMegabytes(connection)).toBe(2);
});

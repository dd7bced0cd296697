import { changeConnection, connect, listConnections } from '@cellhop/contract/connections';
import { update } from '@cellhop/contract/gateway';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { balanceOf, createProxy, createUser, defaultExit, topUp, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { endIdleConnections } from '../billing/end-idle-connections.service.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { registerNode } from './gateway.service.ts';

const MB = 1_048_576;
const DOLLAR = 1_000_000n;
const PREPAID = 400_000n;
const MEGABYTE = 8000n;

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

async function buy(user: TestUser) {
  return (await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } })).data;
}

const heldOf = async (user: TestUser) => (await ledger.readBalance(testApp.ctx, user.accountId)).heldMicros;
const newest = async (user: TestUser) => (await user.call(listConnections, { query: {} })).data[0]!;

describe('authorize', () => {
  test('returns the exit and the prepaid 50 MB for the right password, and refuses a wrong one', async () => {
    const user = await createUser(testApp, { balanceMicros: DOLLAR });
    const connection = await buy(user);
    const run = createGatewayRun(testApp);
    expect(await run.authorize(connection)).toEqual({
      isAuthorized: true,
      connectionId: connection.id,
      exit: { kind: 'local-address', id: await defaultExit(testApp), address: null },
      usedBytes: 0,
      uploadedBytes: 0,
      grantedBytes: 50 * MB,
      state: 'open',
      access: { revision: 1, passwordRevision: 1, allowList: [] },
      limits: { ports: 'deny 25', tunnels: null, bytesPerSecond: null },
      dnsPort: connection.dnsPort,
    });
    const wrong = [
      { username: connection.username, password: `${connection.password}x` },
      { username: 'nobody', password: connection.password },
    ];
    for (const credentials of wrong) expect(await run.authorize(credentials)).toEqual({ isAuthorized: false });
  });

  test('requires the token of a node', async () => {
    await expect(testApp.call(update, { body: { runId: randomUUID(), usages: [] } })).rejects.toMatchObject({
      status: 401,
    });
    const user = await createUser(testApp);
    await expect(user.call(update, { body: { runId: randomUUID(), usages: [] } })).rejects.toMatchObject({
      status: 401,
    });
  });

  test('a restarted gateway is granted what its predecessor did not report', async () => {
    const connection = await buy(await createUser(testApp, { balanceMicros: PREPAID }));
    const dead = createGatewayRun(testApp);
    await dead.authorize(connection);
    await dead.report(connection.id, 3 * MB);
    const next = createGatewayRun(testApp);
    // The dead process may still be alive: what it was granted is not granted twice.
    expect(await next.authorize(connection)).toMatchObject({ usedBytes: 0, grantedBytes: 0, state: 'final' });
    await next.end(connection.id, 0);
    await dead.fallSilent('6 seconds');
    expect(await next.authorize(connection)).toMatchObject({ usedBytes: 0, grantedBytes: 47 * MB, state: 'open' });
    // A late message of the dead run gets no grant.
    expect((await dead.report(connection.id, 4 * MB, 10 * MB)).state).toBe('ended');
  });
});

describe('two processes of one node', () => {
  test('serve a connection at once: both are charged to it, and each keeps its grant', async () => {
    const user = await createUser(testApp, { balanceMicros: DOLLAR });
    const connection = await buy(user);
    const [older, newer] = [createGatewayRun(testApp), createGatewayRun(testApp)];
    await older.authorize(connection);
    await older.report(connection.id, 3 * MB);
    expect(await newer.authorize(connection)).toMatchObject({ grantedBytes: MB, state: 'open' });
    expect(await heldOf(user)).toBe(MEGABYTE);
    expect(await older.report(connection.id, 50 * MB)).toMatchObject({ grantedBytes: 50 * MB, state: 'open' });
    await newer.report(connection.id, MB);
    expect(await newest(user)).toMatchObject({ paidFor: 0.408, trafficUsed: 51 * 1024 });
    expect(await heldOf(user)).toBe(0n);
  });

  test('never get more than the cap together', async () => {
    const user = await createUser(testApp, { balanceMicros: DOLLAR });
    const connection = await buy(user);
    const [older, newer] = [createGatewayRun(testApp), createGatewayRun(testApp)];
    await older.authorize(connection);
    await user.call(changeConnection, { params: { id: connection.id }, body: { capMegabytes: 51 } });
    expect(await newer.authorize(connection)).toMatchObject({ grantedBytes: MB, state: 'final' });
    expect(await older.report(connection.id, 50 * MB, MB)).toMatchObject({ grantedBytes: 50 * MB, state: 'final' });
    await newer.report(connection.id, MB);
    expect(await newest(user)).toMatchObject({ endReason: 'CAP', trafficUsed: 51 * 1024 });
  });
});

describe('update', () => {
  test('charges the 51st megabyte once, however often it is reported', async () => {
    const user = await createUser(testApp, { balanceMicros: DOLLAR });
    const connection = await buy(user);
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    expect((await run.report(connection.id, 50 * MB, MB)).grantedBytes).toBe(51 * MB);
    expect(await balanceOf(testApp, user)).toBe(DOLLAR - PREPAID);
    expect(await heldOf(user)).toBe(MEGABYTE);
    await Promise.all(Array.from({ length: 8 }, () => run.report(connection.id, 50 * MB + 1)));
    await run.report(connection.id, 49 * MB);
    expect(await balanceOf(testApp, user)).toBe(DOLLAR - PREPAID - MEGABYTE);
    expect(await heldOf(user)).toBe(0n);
    expect(await newest(user)).toMatchObject({ paidFor: 0.408, trafficUsed: 50 * 1024 + 1 / 1024 });
  });

  test('ends a connection as NO_MONEY at the last paid byte; a rest below the price of a megabyte stays on the balance', async () => {
    const user = await createUser(testApp, { balanceMicros: PREPAID + 2n * MEGABYTE + 5n });
    const connection = await buy(user);
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    await run.report(connection.id, 50 * MB, 64 * MB);
    expect(await run.report(connection.id, 51 * MB, 64 * MB)).toMatchObject({ grantedBytes: 52 * MB, state: 'open' });
    expect(await run.report(connection.id, 51 * MB + 1, 64 * MB)).toMatchObject({
      grantedBytes: 52 * MB,
      state: 'final',
    });
    expect((await newest(user)).status).toBe('WORK');
    expect((await run.report(connection.id, 52 * MB, 64 * MB)).state).toBe('ended');
    expect(await newest(user)).toMatchObject({
      status: 'NO_MONEY',
      endReason: 'NO_MONEY',
      refundStatus: 'NONE',
      paidFor: 0.416,
    });
    expect(await balanceOf(testApp, user)).toBe(5n);
    expect(await heldOf(user)).toBe(0n);
  });

  test('a top-up before the last byte keeps the connection open', async () => {
    const user = await createUser(testApp, { balanceMicros: PREPAID });
    const connection = await buy(user);
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    expect((await run.report(connection.id, 50 * MB - 1, MB)).state).toBe('final');
    await topUp(testApp, user.accountId, DOLLAR);
    expect(await run.report(connection.id, 50 * MB - 1, MB)).toMatchObject({ state: 'open', grantedBytes: 51 * MB });
  });

  test('concurrent connections of one user use exactly what the balance covers', async () => {
    const user = await createUser(testApp, { balanceMicros: 3n * PREPAID + 7n * MEGABYTE });
    const connections = [await buy(user), await buy(user), await buy(user)];
    const run = createGatewayRun(testApp);
    const used = new Map<string, number>();
    for (const connection of connections) {
      await run.authorize(connection);
      used.set(connection.id, 50 * MB);
    }
    // Each uses its grant until all of them have ended.
    let live = connections.map((connection) => connection.id);
    while (live.length > 0) {
      const credits = await Promise.all(live.map((id) => run.report(id, used.get(id)!, 3 * MB)));
      for (const credit of credits) if (credit.state !== 'ended') used.set(credit.connectionId, credit.grantedBytes);
      live = credits.filter((credit) => credit.state !== 'ended').map((credit) => credit.connectionId);
    }
    const total = [...used.values()].reduce((sum, bytes) => sum + bytes, 0);
    expect(total).toBe(157 * MB);
    expect(await balanceOf(testApp, user)).toBe(0n);
  });

  test('shows when traffic was last reported; empty reports and grants do not count', async () => {
    const user = await createUser(testApp, { balanceMicros: DOLLAR });
    const connection = await buy(user);
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    expect((await newest(user)).syncAt).toBeNull();
    await run.report(connection.id, 50 * MB);
    const { syncAt } = await newest(user);
    expect(syncAt).not.toBeNull();
    await run.report(connection.id, 50 * MB, MB);
    await run.report(connection.id, 49 * MB);
    expect((await newest(user)).syncAt).toBe(syncAt);
  });

  test('repeated requests of a gateway without free balance cause no writes', async () => {
    const user = await createUser(testApp, { balanceMicros: PREPAID });
    const connection = await buy(user);
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    expect((await run.report(connection.id, 50 * MB - 1, MB)).state).toBe('final');
    const version = async () =>
      (await testApp.database.query('select xmin::text from connections where id = $1', [connection.id]))[0];
    const before = await version();
    for (let repeat = 0; repeat < 3; repeat++)
      expect((await run.report(connection.id, 50 * MB - 1, MB)).state).toBe('final');
    expect(await version()).toEqual(before);
  });

  test('unknown connections are reported as ended; a report above the batch limit or with a negative total is refused', async () => {
    const run = createGatewayRun(testApp);
    expect((await run.report(randomUUID(), 5)).state).toBe('ended');
    const totals = { connectionId: randomUUID(), usedBytes: 1, uploadedBytes: 1 };
    const good = { ...totals, wantedBytes: 0, isExitLost: false, accessRevision: 1 };
    for (const bad of [{ usedBytes: -1 }, { usedBytes: 1.5 }, { uploadedBytes: -1 }, { isExitLost: 1 as never }]) {
      const usages = [{ ...good, ...bad }];
      await expect(run.call(update, { body: { runId: run.runId, usages } })).rejects.toMatchObject({ status: 400 });
    }
  });

  test('a run id of another node is refused', async () => {
    const run = createGatewayRun(testApp);
    await run.report(randomUUID(), 0);
    await testApp.database.query(
      "with other as (insert into gateway_nodes (name, token_hash) values ('other', 'x') returning id) update gateway_runs set node_id = other.id from other where gateway_runs.id = $1",
      [run.runId],
    );
    await expect(run.report(randomUUID(), 0)).rejects.toMatchObject({ status: 403 });
  });
});

describe('a lost exit', () => {
  test('ends the connection after the last report; the unused part of the first 50 MB is refunded at any age', async () => {
    const user = await createUser(testApp, { balanceMicros: DOLLAR });
    const connection = await buy(user);
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    await testApp.database.query("update connections set created_at = created_at - interval '2 days' where id = $1", [
      connection.id,
    ]);
    expect((await run.report(connection.id, 3 * MB, 0, { isExitLost: true })).state).toBe('ended');
    expect((await newest(user)).status).toBe('WORK');
    await run.end(connection.id, 3 * MB + 1);
    expect(await newest(user)).toMatchObject({
      status: 'NOT_WORK',
      endReason: 'EXIT_LOST',
      refundStatus: 'REFUNDED',
      paidFor: 0.032,
      trafficUsed: 3 * 1024 + 1 / 1024,
    });
    expect(await balanceOf(testApp, user)).toBe(DOLLAR - 4n * MEGABYTE);
  });

  test('refunds nothing when the first 50 MB were used', async () => {
    const user = await createUser(testApp, { balanceMicros: DOLLAR });
    const connection = await buy(user);
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    await run.report(connection.id, 50 * MB, MB, { isExitLost: true });
    await run.end(connection.id, 50 * MB);
    expect(await newest(user)).toMatchObject({ endReason: 'EXIT_LOST', refundStatus: 'NONE', paidFor: 0.4 });
    expect(await heldOf(user)).toBe(0n);
  });
});

describe('bytes in each direction', () => {
  test('are summed over runs, and a reopened run gets its last totals', async () => {
    const user = await createUser(testApp, { balanceMicros: DOLLAR });
    const connection = await buy(user);
    const [first, second] = [createGatewayRun(testApp), createGatewayRun(testApp)];
    await first.authorize(connection);
    await first.report(connection.id, 3 * MB, 0, { uploadedBytes: MB });
    await first.report(connection.id, 2 * MB, 0, { uploadedBytes: 2 * MB });
    await second.authorize(connection);
    await second.report(connection.id, MB, MB, { uploadedBytes: 1000 });
    await second.end(connection.id, MB + 10, 1005);
    expect(await second.authorize(connection)).toMatchObject({ usedBytes: MB + 10, uploadedBytes: 1005 });
    const [row] = await testApp.database.query<{ uploadedBytes: bigint; usedBytes: bigint }>(
      'select uploaded_bytes as "uploadedBytes", used_bytes as "usedBytes" from connections where id = $1',
      [connection.id],
    );
    expect(row).toEqual({ uploadedBytes: BigInt(MB + 1005), usedBytes: BigInt(4 * MB + 10) });
  });
});

describe('a silent gateway', () => {
  test('that its node has replaced holds money for a few seconds, even if the customer never comes back', async () => {
    const user = await createUser(testApp, { balanceMicros: DOLLAR });
    const connection = await buy(user);
    const [crashed, next] = [createGatewayRun(testApp), createGatewayRun(testApp)];
    await crashed.authorize(connection);
    await crashed.report(connection.id, 50 * MB, 20 * MB);
    await crashed.fallSilent('6 seconds');
    await endIdleConnections(testApp.ctx);
    expect(await heldOf(user)).toBe(20n * MEGABYTE);
    await next.call(update, { body: { runId: next.runId, usages: [] } });
    await endIdleConnections(testApp.ctx);
    expect(await heldOf(user)).toBe(0n);
    // It was only late.
    expect((await crashed.report(connection.id, 51 * MB)).state).toBe('open');
    expect(await heldOf(user)).toBe(19n * MEGABYTE);
  });

  test('whose successor has failed before holds money for its whole lease', async () => {
    const user = await createUser(testApp, { balanceMicros: DOLLAR });
    const connection = await buy(user);
    const [older, failed] = [createGatewayRun(testApp), createGatewayRun(testApp)];
    await older.authorize(connection);
    await older.report(connection.id, 50 * MB, 20 * MB);
    await failed.call(update, { body: { runId: failed.runId, usages: [] } });
    await failed.fallSilent('20 seconds');
    await older.fallSilent('10 seconds');
    await endIdleConnections(testApp.ctx);
    expect(await heldOf(user)).toBe(20n * MEGABYTE);
    expect((await older.report(connection.id, 51 * MB)).state).toBe('open');
  });

  test('holds money no longer than its lease', async () => {
    const user = await createUser(testApp, { balanceMicros: DOLLAR });
    const connection = await buy(user);
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    await run.report(connection.id, 50 * MB, 20 * MB);
    expect(await heldOf(user)).toBe(20n * MEGABYTE);
    await run.fallSilent('2 minutes');
    await endIdleConnections(testApp.ctx);
    expect(await heldOf(user)).toBe(0n);
    expect((await newest(user)).status).toBe('WORK');
    // It comes back: usage within its old grant is charged, and its tunnels go on.
    expect((await run.report(connection.id, 52 * MB, MB)).state).toBe('open');
    expect(await balanceOf(testApp, user)).toBe(DOLLAR - PREPAID - 2n * MEGABYTE);
    await run.end(connection.id, 52 * MB);
    expect(await run.authorize(connection)).toMatchObject({ usedBytes: 52 * MB, grantedBytes: 53 * MB });
  });
});

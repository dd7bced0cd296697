/** How the worker treats gateways that could not report. Rows are backdated, because the clock is the database's. */
import { connect, disconnect, listConnections } from '@cellhop/contract/connections';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { balanceOf, createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { registerNode } from '../gateway/gateway.service.ts';
import { readBalance } from '../ledger/ledger.service.ts';
import { saveHeartbeat } from '../gateway/gateway.store.ts';
import { endConnection } from './ending.service.ts';
import { endIdleConnections } from './end-idle-connections.service.ts';

const MB = 1_048_576;

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
  await testApp.database.query(
    `with node as (insert into gateway_nodes (name, token_hash) values ('second', sha256('second-token')) returning id)
     insert into exits (node_id, kind, key, parameters) select id, 'local-address', 'local-address://', '{"address": null}' from node`,
  );
});
beforeEach(() => saveHeartbeat(testApp.ctx));
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

async function buy(user: TestUser, priceMicros = 800_000n) {
  const id = await createProxy(testApp, { priceMicros });
  return (await user.call(connect, { body: { id, price: Number(priceMicros) / 1e6 } })).data;
}

/** A connection that is open in runs of these nodes. Its last traffic and the last reports are that long ago. */
async function open({ trafficAge, tokens = [undefined] }: { trafficAge: string; tokens?: (string | undefined)[] }) {
  const user = await createUser(testApp, { balanceMicros: 1_000_000n });
  const connection = await buy(user);
  const runs = tokens.map((token) => createGatewayRun(testApp, token));
  for (const [index, run] of runs.entries()) {
    if (tokens[index] !== undefined) await moveTo('second', connection.id);
    await run.authorize(connection);
  }
  await testApp.database.query(
    'update connections set idle_marks = array[(now() - $2::interval, 0)::traffic_mark] where id = $1',
    [connection.id, trafficAge],
  );
  await silence(trafficAge, runs);
  return { user, connection, runs };
}

/** Moves the exit of a connection to a node, as when an address gets another host. */
const moveTo = (node: string, connectionId: string) =>
  testApp.database.query(
    `update connections set exit_id = exits.id from exits join gateway_nodes as node on node.id = node_id
      where node.name = $1 and connections.id = $2`,
    [node, connectionId],
  );
const silence = (age: string, runs: readonly { runId: string }[]) =>
  testApp.database.query('update gateway_runs set seen_at = now() - $1::interval where id = any($2)', [
    age,
    runs.map(({ runId }) => runId),
  ]);
/** How long ago the API became available, and how long ago its last heartbeat was. */
const setAvailability = (since: string, seen = '0 s') =>
  testApp.database.query('update listening set since = now() - $1::interval, seen_at = now() - $2::interval', [
    since,
    seen,
  ]);
const statusOf = async (user: TestUser) => (await user.call(listConnections, { query: {} })).data[0]!.status;

const since = async () =>
  (
    await testApp.database.query<{ seconds: number }>(
      'select extract(epoch from now() - since)::float8 as seconds from listening',
    )
  )[0]!.seconds;

describe('after an outage of the control plane', () => {
  test('no connection is idle before its gateway has reported, and then only those without traffic', async () => {
    const busy = await open({ trafficAge: '40 minutes' });
    const quiet = await open({ trafficAge: '40 minutes', tokens: ['second-token'] });
    await setAvailability('20 s');
    // Authorizing another connection is not a report of the existing ones.
    await busy.runs[0]!.authorize(await buy(await createUser(testApp, { balanceMicros: 1_000_000n })));
    await endIdleConnections(testApp.ctx);
    expect([await statusOf(busy.user), await statusOf(quiet.user)]).toEqual(['WORK', 'WORK']);
    expect((await busy.runs[0]!.report(busy.connection.id, 5000)).state).toBe('open');
    expect((await quiet.runs[0]!.report(quiet.connection.id, 5)).state).toBe('open');
    await setAvailability('1 s');
    await endIdleConnections(testApp.ctx);
    expect((await quiet.runs[0]!.report(quiet.connection.id, 5)).state).toBe('open');
    await setAvailability('20 s');
    await endIdleConnections(testApp.ctx);
    await quiet.runs[0]!.end(quiet.connection.id, 5);
    expect([await statusOf(busy.user), await statusOf(quiet.user)]).toEqual(['WORK', 'NOT_WORK']);
  });

  test('the idle check waits for every gateway that has the connection open', async () => {
    const { user, connection, runs } = await open({ trafficAge: '40 minutes', tokens: [undefined, 'second-token'] });
    await setAvailability('20 s');
    await runs[0]!.report(connection.id, 0);
    await endIdleConnections(testApp.ctx);
    expect(await statusOf(user)).toBe('WORK');
    await runs[1]!.report(connection.id, 2000);
    await endIdleConnections(testApp.ctx);
    expect(await statusOf(user)).toBe('WORK');
  });

  test('the idle check does not wait for a run that its node has replaced', async () => {
    const { user } = await open({ trafficAge: '40 minutes' });
    await setAvailability('20 s');
    await createGatewayRun(testApp).authorize(await buy(await createUser(testApp, { balanceMicros: 1_000_000n })));
    await endIdleConnections(testApp.ctx);
    expect(await statusOf(user)).toBe('NOT_WORK');
  });

  test('the run of a silent gateway is closed after a minute, and its connections are idle after the idle time-out', async () => {
    const { user } = await open({ trafficAge: '40 minutes' });
    await setAvailability('29 minutes');
    await endIdleConnections(testApp.ctx);
    await endIdleConnections(testApp.ctx);
    expect(await statusOf(user)).toBe('WORK');
    await setAvailability('31 minutes');
    await endIdleConnections(testApp.ctx);
    expect(await statusOf(user)).toBe('NOT_WORK');
  });

  test('gateways keep their grants, because silence during the outage does not count', async () => {
    const { user, connection, runs } = await open({ trafficAge: '0 s' });
    await runs[0]!.report(connection.id, 50 * MB, 5 * MB);
    await silence('10 minutes', runs);
    await setAvailability('1 s');
    await endIdleConnections(testApp.ctx);
    expect((await runs[0]!.report(connection.id, 53 * MB)).state).toBe('open');
    expect(await balanceOf(testApp, user)).toBe(1_000_000n - 400_000n - 3n * 8000n);
  });

  test('a user who disconnects at once still pays for bytes that the gateway could not report', async () => {
    const { user, connection, runs } = await open({ trafficAge: '0 s' });
    await silence('10 minutes', runs);
    await setAvailability('1 s');
    const ending = user.call(disconnect, { params: { id: connection.id } });
    await expect.poll(() => runs[0]!.report(connection.id, 3 * MB).then((credit) => credit.state)).toBe('ended');
    await runs[0]!.end(connection.id, 3 * MB);
    expect((await ending).data).toMatchObject({ status: 'DISCONNECT_USER', paidFor: 0.024 });
  });
});

/** A process that has used 52 of 62 MB. Its grant was released, because it was silent while the next process of its node reported. */
async function late(balanceMicros = 1_000_000n) {
  await setAvailability('1 hour');
  const user = await createUser(testApp, { balanceMicros });
  const connection = await buy(user);
  const [draining, next] = [createGatewayRun(testApp), createGatewayRun(testApp)];
  await draining.authorize(connection);
  await draining.report(connection.id, 50 * MB, 12 * MB);
  await draining.report(connection.id, 52 * MB, 10 * MB);
  await draining.fallSilent('6 seconds');
  await next.authorize(connection);
  await next.report(connection.id, MB);
  await endIdleConnections(testApp.ctx);
  return { user, connection, draining, next };
}
const usedMegabytes = async ({ id }: { id: string }) => {
  const sql = `select (used_bytes / ${MB})::int as used from connections where id = $1`;
  return (await testApp.database.query<{ used: number }>(sql, [id]))[0]!.used;
};

describe('a draining process whose reports were late', () => {
  test('goes on with its transfers, and everything is charged', async () => {
    const { connection, draining, next } = await late();
    expect(await draining.report(connection.id, 55 * MB, 2 * MB)).toMatchObject({
      state: 'open',
      grantedBytes: 62 * MB,
    });
    expect((await draining.report(connection.id, 62 * MB, MB)).state).toBe('open');
    await draining.end(connection.id, 63 * MB);
    expect((await next.report(connection.id, MB)).state).toBe('open');
    expect(await usedMegabytes(connection)).toBe(64);
  });

  test('ends them if the balance no longer pays for what it was granted', async () => {
    const { user, connection, draining } = await late(600_000n);
    await buy(user, 352_000n);
    expect((await draining.report(connection.id, 52 * MB, MB)).state).toBe('ended');
  });

  test('does not reopen what it has ended, however late a report arrives', async () => {
    const { connection, draining } = await late();
    await draining.end(connection.id, 53 * MB);
    expect((await draining.report(connection.id, 53 * MB, MB)).state).toBe('ended');
  });

  test('is closed again if that was its last report', async () => {
    const { user, connection, draining, next } = await late();
    const before = await readBalance(testApp.ctx, user.accountId);
    await draining.report(connection.id, 52 * MB);
    expect((await readBalance(testApp.ctx, user.accountId)).heldMicros).toBe(before.heldMicros + 80_000n);
    await draining.fallSilent('6 seconds');
    await next.report(connection.id, MB);
    await endIdleConnections(testApp.ctx);
    expect(await readBalance(testApp.ctx, user.accountId)).toEqual(before);
  });
});

describe('a wrong clock', () => {
  afterEach(() => void vi.useRealTimers());

  test.each([-86_400_000, 86_400_000])('on an API host by %i ms changes nothing', async (jumpMs) => {
    const { user, connection, runs } = await open({ trafficAge: '29 minutes' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + jumpMs });
    expect((await runs[0]!.report(connection.id, MB)).state).toBe('open');
    await endIdleConnections(testApp.ctx);
    await runs[0]!.end(connection.id, MB);
    await endConnection(testApp.ctx, connection.id, 'USER');
    vi.useRealTimers();
    expect((await user.call(listConnections, { query: {} })).data[0]).toMatchObject({
      status: 'DISCONNECT_USER',
      refundStatus: 'REFUNDED',
      paidFor: 0.008,
    });
  });
});

describe('while no API process runs', () => {
  test('the worker ends no connection and closes no run because of silence', async () => {
    const { user, connection, runs } = await open({ trafficAge: '2 days' });
    await setAvailability('3 days', '1 day');
    await endIdleConnections(testApp.ctx);
    expect(await statusOf(user)).toBe('WORK');
    await saveHeartbeat(testApp.ctx);
    expect((await runs[0]!.report(connection.id, 5000)).state).toBe('open');
  });
});

describe('the heartbeat of the API', () => {
  test('continues after a short pause and restarts after a gap', async () => {
    await setAvailability('1 hour', '9 s');
    await saveHeartbeat(testApp.ctx);
    expect(await since()).toBeGreaterThan(3599);
    await setAvailability('1 hour', '11 s');
    await saveHeartbeat(testApp.ctx);
    expect(await since()).toBeLessThan(5);
  });
});

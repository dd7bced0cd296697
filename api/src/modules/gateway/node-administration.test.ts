/** @module-tag thorough */
import { connect, disconnect } from '@cellhop/contract/connections';
import { hello, update } from '@cellhop/contract/gateway';
import { searchProxies } from '@cellhop/contract/proxies';
import { listInventory } from '@cellhop/contract/staff/inventory';
import { changeNode, listNodes } from '@cellhop/contract/staff/nodes';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createExit, createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { followDraining } from '../proxies/inventory.service.ts';
import { addNode } from './gateway.service.ts';
import { createTestClient } from '../../../test/test-client.ts';

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(() => testApp.stop());

const asNode = (token: string) =>
  createTestClient({ baseUrl: testApp.url, headers: () => ({ authorization: `Bearer ${token}` }) });
const find = async (name: string) => (await admin.call(listNodes, {})).data.find((node) => node.name === name)!;
const drain = async (name: string, isDraining: boolean, more: { version?: number; reason?: string } = {}) =>
  (await admin.call(changeNode, { params: { id: (await find(name)).id }, body: { isDraining, ...more } })).data;

const status = { softwareVersion: '0.2.0', tunnels: 7, bytesPerSecond: 1_000_000, relay: 'splice' };

describe('the list of nodes', () => {
  test('shows address, ports, exits and open connections', async () => {
    await addNode(testApp.ctx, 'berlin', {
      address: { host: 'berlin.example.com', port: 1090 },
      dnsPorts: { first: 20_000, last: 20_009 },
    });
    const exitId = await createExit(testApp, 'berlin', '192.0.2.1');
    const user = await createUser(testApp, { balanceMicros: 5_000_000n });
    await user.call(connect, { body: { id: await createProxy(testApp, { exitId }), price: 0.8 } });
    expect(await find('berlin')).toEqual({
      id: expect.any(String),
      name: 'berlin',
      isLive: false,
      isDraining: false,
      version: 0,
      lastReportAt: null,
      softwareVersion: null,
      relay: null,
      tunnels: null,
      bytesPerSecond: null,
      host: 'berlin.example.com',
      port: 1090,
      dnsPorts: { free: 9, total: 10 },
      exits: 1,
      openConnections: 1,
      runs: [],
      lastFailure: null,
      certificate: null,
    });
  });

  test('has the certificate of the last heartbeat, and customers of the node learn that it serves TLS', async () => {
    const call = asNode(
      await addNode(testApp.ctx, 'vienna', {
        address: { host: 'vienna.example.com', port: 1090 },
        dnsPorts: { first: 20_100, last: 20_109 },
      }),
    );
    const user = await createUser(testApp, { balanceMicros: 5_000_000n });
    const runId = randomUUID();
    const isTlsServed = async (names: string[] | undefined, endsAt = '2120-01-01T00:00:00.000Z') => {
      const certificate = names && { names, startsAt: '2020-01-01T00:00:00.000Z', endsAt };
      await call(hello, {
        body: { contractVersion: 3, runId, status: { ...status, ...(certificate && { certificate }) } },
      });
      const exitId = await createExit(testApp, 'vienna', `192.0.2.${(exits += 1)}`);
      const bought = await user.call(connect, { body: { id: await createProxy(testApp, { exitId }), price: 0.8 } });
      return bought.data.isTlsServed;
    };
    let exits = 100;
    expect(await isTlsServed(['vienna.example.com'])).toBe(true);
    expect((await find('vienna')).certificate).toEqual({ endsAt: '2120-01-01T00:00:00.000Z', fitsHost: true });
    expect(await isTlsServed(['*.example.com'])).toBe(true);
    expect(await isTlsServed(['elsewhere.example.com'])).toBe(false);
    expect((await find('vienna')).certificate).toMatchObject({ fitsHost: false });
    expect(await isTlsServed(['vienna.example.com'], '2020-01-01T00:00:00.000Z')).toBe(false);
    expect(await isTlsServed(undefined)).toBe(false);
    expect((await find('vienna')).certificate).toBeNull();
  });

  test('tells when processes of the last day ran, and the last error of an exit', async () => {
    const call = asNode(await addNode(testApp.ctx, 'oslo'));
    const [now, before] = [randomUUID(), randomUUID()];
    for (const runId of [now, before]) await call(hello, { body: { contractVersion: 1, runId, status } });
    await testApp.database.query(
      `update gateway_runs set started_at = '2026-01-01T10:00:00Z', seen_at = '2026-01-01T11:00:00Z' where id = $1`,
      [before],
    );
    const exitId = await createExit(testApp, 'oslo', '192.0.2.77');
    await testApp.database.query(
      `update exit_checks set reason = 'dial-timeout', checked_at = '2026-11-21T12:00:00.123Z' where exit_id = $1`,
      [exitId],
    );
    const { runs, lastFailure } = await find('oslo');
    expect(runs).toHaveLength(1);
    expect(Date.parse(runs[0]!.to)).toBeGreaterThanOrEqual(Date.parse(runs[0]!.from));
    expect(lastFailure).toEqual({ reason: 'dial-timeout', at: '2026-11-21T12:00:00.123Z' });
  });

  test('adds up the statuses of all processes of a node while they report', async () => {
    const call = asNode(await addNode(testApp.ctx, 'paris'));
    const [first, second] = [randomUUID(), randomUUID()];
    for (const runId of [first, second]) {
      await call(hello, { body: { contractVersion: 1, runId, status } });
      await call(update, { body: { runId, usages: [] } });
    }
    expect(await find('paris')).toMatchObject({
      isLive: true,
      softwareVersion: '0.2.0',
      tunnels: 14,
      bytesPerSecond: 2_000_000,
      host: testApp.ctx.config.gateway.host,
    });
    await testApp.database.query(`update gateway_runs set seen_at = now() - interval '1 hour' where id = $1`, [first]);
    expect(await find('paris')).toMatchObject({ isLive: true, tunnels: 7 });
    await testApp.database.query(`update gateway_runs set seen_at = now() - interval '1 hour' where id = $1`, [second]);
    expect(await find('paris')).toMatchObject({ isLive: false, tunnels: null, softwareVersion: '0.2.0' });
  });

  test('shows what moves the bytes, by the newest process, and nothing of a gateway of the release before', async () => {
    const call = asNode(await addNode(testApp.ctx, 'turin'));
    const [first, second] = [randomUUID(), randomUUID()];
    const { relay, ...statusBefore } = status;
    await call(hello, { body: { contractVersion: 1, runId: first, status: statusBefore } });
    expect(await find('turin')).toMatchObject({ softwareVersion: '0.2.0', relay: null });
    await call(hello, { body: { contractVersion: 1, runId: second, status } });
    await testApp.database.query(`update gateway_runs set seen_at = now() - interval '1 minute' where id = $1`, [
      first,
    ]);
    expect(await find('turin')).toMatchObject({ relay });
    await call(hello, { body: { contractVersion: 1, runId: second, status: { ...status, relay: 'pump' } } });
    expect(await find('turin')).toMatchObject({ relay: 'pump' });
  });

  test('shows gateways that have not reported their status yet', async () => {
    const call = asNode(await addNode(testApp.ctx, 'rome'));
    await call(update, { body: { runId: randomUUID(), usages: [] } });
    expect(await find('rome')).toMatchObject({ isLive: true, softwareVersion: null, tunnels: null });
  });

  test("refuses a status for another node's run", async () => {
    const [one, two] = [await addNode(testApp.ctx, 'oslo'), await addNode(testApp.ctx, 'bergen')];
    const body = { contractVersion: 1, runId: randomUUID(), status };
    await asNode(one)(hello, { body });
    await expect(asNode(two)(hello, { body })).rejects.toMatchObject({ status: 403 });
  });
});

const statesOf = async (node: string) =>
  (await admin.call(listInventory, { query: { node, sort: 'ip' } })).data.map(({ state }) => state).sort();

describe('a draining node', () => {
  test('takes no new purchases, keeps open connections, and returns its proxies to the catalogue when draining ends', async () => {
    await addNode(testApp.ctx, 'madrid');
    const exitId = await createExit(testApp, 'madrid');
    const [sold, free] = [
      await createProxy(testApp, { exitId, countryCode: 'ES' }),
      await createProxy(testApp, { exitId, countryCode: 'ES' }),
    ];
    const user = await createUser(testApp, { balanceMicros: 5_000_000n });
    const { data: connection } = await user.call(connect, { body: { id: sold, price: 0.8 } });
    const offered = async () =>
      (await user.call(searchProxies, { query: { country: ['ES'] } })).data.map(({ id }) => id);

    const drained = await drain('madrid', true, { reason: 'new hardware' });
    expect(drained).toMatchObject({ isDraining: true, version: 1, openConnections: 1 });
    // At once, before the job has run.
    await expect(user.call(connect, { body: { id: free, price: 0.8 } })).rejects.toMatchObject({
      code: 'PROXY_NOT_FOUND',
    });
    const jobs = await testApp.database.query(
      `select from graphile_worker.jobs where task_identifier = 'proxies.follow-draining'`,
    );
    expect(jobs).toHaveLength(1);
    await followDraining(testApp.ctx, { nodeId: drained.id }, 1);
    expect(await offered()).toEqual([]);
    expect(await statesOf('madrid')).toEqual(['DRAINING', 'SOLD']);

    await user.call(disconnect, { params: { id: connection.id } });
    expect(await offered()).toEqual([]);
    // Proxies that are assigned to the node while it drains are not offered either.
    const late = await createProxy(testApp, { exitId, countryCode: 'ES' });
    expect(await offered()).toEqual([]);

    await drain('madrid', false);
    await followDraining(testApp.ctx, { nodeId: drained.id });
    expect((await offered()).sort()).toEqual([sold, free, late].sort());
    await user.call(connect, { body: { id: free, price: 0.8 } });
  });

  test('is audited once, and a stale change is refused', async () => {
    await addNode(testApp.ctx, 'lisbon');
    const { id } = await drain('lisbon', true, { version: 0, reason: 'new hardware' });
    await drain('lisbon', true);
    await expect(drain('lisbon', false, { version: 0 })).rejects.toMatchObject({
      status: 409,
      code: 'CHANGED_ELSEWHERE',
    });
    await drain('lisbon', false, { version: 1 });
    const entries = await testApp.database.query(
      `select action, actor_id as "actorId", subject_type as "type", details from audit_log where subject_id = $1 order by id`,
      [id],
    );
    expect(entries).toEqual([
      { action: 'NODE_DRAINED', actorId: admin.id, type: 'NODE', details: { name: 'lisbon', reason: 'new hardware' } },
      { action: 'NODE_UNDRAINED', actorId: admin.id, type: 'NODE', details: { name: 'lisbon' } },
    ]);
  });

  test('needs its permission and a node', async () => {
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    const input = { params: { id: randomUUID() }, body: { isDraining: true } };
    await expect(support.call(changeNode, input)).rejects.toMatchObject({ status: 403 });
    await expect(admin.call(changeNode, input)).rejects.toMatchObject({ status: 404 });
  });
});

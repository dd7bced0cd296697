import { echo, type ExitCheck } from '@cellhop/contract/exit-checks';
import { connect } from '@cellhop/contract/connections';
import { getLowestPrice, searchProxies } from '@cellhop/contract/proxies';
import { checkExitNow } from '@cellhop/contract/staff/exit-checks';
import { listInventory } from '@cellhop/contract/staff/inventory';
import { randomUUID } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { cloneDatabase } from '../../../../tools/test-database.mjs';
import {
  checkFailed,
  type CheckingNode,
  checkOk,
  createCheckingNode,
  createUncheckedExit,
} from '../../../test/checking-node.ts';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { migrate } from '../../db/migrate.ts';
import { packagePath } from '../../process/package-path.ts';
import { DUE } from './exit-checks.store.ts';

let testApp: TestApp;
let admin: TestUser;
let customer: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  customer = await createUser(testApp, { balanceMicros: 100_000_000n });
});
afterAll(() => testApp.stop());

const createNode = () => createCheckingNode(testApp);
const createExit = (node: CheckingNode) => createUncheckedExit(testApp, node);
type Exit = Awaited<ReturnType<typeof createExit>>;

const report = (node: CheckingNode, ...checks: ExitCheck[]) => node.exchange({ checks });
const isOffered = async ({ countryCode }: Exit) =>
  (await customer.call(searchProxies, { query: { country: [countryCode] } })).data.length > 0;
const inInventory = async ({ countryCode }: Exit) =>
  (await admin.call(listInventory, { query: { country: [countryCode] } })).data[0]!;

interface PlanNode {
  'Actual Rows': number;
  Plans?: PlanNode[];
}
/** Of each step of a plan. */
const rowsOf = ({ 'Actual Rows': rows, Plans = [] }: PlanNode): number[] => [rows, ...Plans.flatMap(rowsOf)];

describe('a new exit', () => {
  test('is not for sale before its first check has succeeded', async () => {
    const node = await createNode();
    const exit = await createExit(node);
    const buy = () => customer.call(connect, { body: { id: exit.proxyId, price: 0.8 } });
    expect(await isOffered(exit)).toBe(false);
    await expect(buy()).rejects.toMatchObject({ code: 'PROXY_NOT_FOUND' });
    expect(await inInventory(exit)).toMatchObject({
      state: 'UNCHECKED',
      check: { health: 'UNCHECKED', checkedAt: null },
    });
    await report(node, checkFailed(exit.id), checkOk(exit.id, { outcome: 'inconclusive', reason: 'echo-unreachable' }));
    expect(await isOffered(exit)).toBe(false);
    expect(await inInventory(exit)).toMatchObject({ state: 'UNCHECKED', check: { reason: 'echo-unreachable' } });

    await report(node, checkOk(exit.id, { seenAddress: '198.51.100.7' }));
    const { data } = await customer.call(searchProxies, { query: { country: [exit.countryCode] } });
    expect(data).toMatchObject([{ latencyMs: 42, checkedAt: expect.stringMatching(/^\d{4}-/) }]);
    expect(await inInventory(exit)).toMatchObject({
      state: 'FREE',
      check: { health: 'HEALTHY', latencyMs: 42, reason: null, seenAddress: '198.51.100.7' },
    });
    await buy();
  });

  test('of an import is there at once, and another proxy of a working exit is for sale at once', async () => {
    const node = await createNode();
    const exit = await createExit(node);
    await report(node, checkOk(exit.id));
    await createProxy(testApp, { exitId: exit.id, countryCode: 'XX', priceMicros: 100n });
    expect((await customer.call(searchProxies, { query: { country: ['XX'] } })).data).toHaveLength(1);
  });
});

describe('an exit that stops working', () => {
  test('leaves the catalogue after two failures, sold or not, and comes back after two successes', async () => {
    const node = await createNode();
    const [free, sold] = [await createExit(node), await createExit(node)];
    await report(node, checkOk(free.id), checkOk(sold.id));
    const { data: connection } = await customer.call(connect, { body: { id: sold.proxyId, price: 0.8 } });
    await report(node, checkFailed(free.id), checkFailed(sold.id));
    expect(await isOffered(free)).toBe(true);
    await report(node, checkFailed(free.id), checkFailed(sold.id));
    expect(await isOffered(free)).toBe(false);
    expect(await inInventory(free)).toMatchObject({ state: 'UNHEALTHY', check: { reason: 'upstream-refused:403' } });
    expect(await inInventory(sold)).toMatchObject({ state: 'SOLD', isHealthy: false });
    const listed = async (state: 'UNHEALTHY' | 'UNCHECKED') =>
      (await admin.call(listInventory, { query: { state, node: node.name } })).data.map(({ id }) => id).sort();
    expect(await listed('UNHEALTHY')).toEqual([free.proxyId, sold.proxyId].sort());
    expect(await listed('UNCHECKED')).toEqual([]);
    expect((await node.exchange()).lostIds).toEqual([]);
    await report(node, checkOk(free.id));
    expect(await isOffered(free)).toBe(false);
    await report(node, checkOk(free.id));
    expect(await isOffered(free)).toBe(true);
    expect(connection.status).toBe('WORK');
  });

  test('is lost after three minutes, if a connection uses it', async () => {
    const node = await createNode();
    const [free, sold] = [await createExit(node), await createExit(node)];
    await report(node, checkOk(free.id), checkOk(sold.id));
    await customer.call(connect, { body: { id: sold.proxyId, price: 0.8 } });
    for (let time = 0; time < 5; time += 1) await report(node, checkFailed(free.id), checkFailed(sold.id));
    await node.letTimePass(120);
    expect((await node.exchange()).lostIds).toEqual([]);
    await node.letTimePass(61);
    expect((await node.exchange()).lostIds).toEqual([sold.id]);
    await report(node, checkOk(sold.id));
    expect((await node.exchange()).lostIds).toEqual([]);
  });

  test('is not lost when the clock is set forwards soon after its first failures', async () => {
    const node = await createNode();
    const sold = await createExit(node);
    await report(node, checkOk(sold.id));
    await customer.call(connect, { body: { id: sold.proxyId, price: 0.8 } });
    for (let time = 0; time < 2; time += 1) await report(node, checkFailed(sold.id));
    await node.letTimePass(600);
    expect((await node.exchange()).lostIds).toEqual([]);
  });

  test('and whose connection ends as lost is not for sale again at once', async () => {
    const node = await createNode();
    const exit = await createExit(node);
    await report(node, checkOk(exit.id));
    const { data: connection } = await customer.call(connect, { body: { id: exit.proxyId, price: 0.8 } });
    const run = createGatewayRun(testApp, node.token);
    await run.authorize(connection);
    await run.report(connection.id, 0, 0, { isExitLost: true });
    await run.end(connection.id, 0);
    expect(await inInventory(exit)).toMatchObject({ state: 'UNHEALTHY', check: { reason: 'exit-lost' } });
    await expect(customer.call(connect, { body: { id: exit.proxyId, price: 0.8 } })).rejects.toMatchObject({
      code: 'PROXY_NOT_FOUND',
    });
    for (let time = 0; time < 2; time += 1) await report(node, checkOk(exit.id));
    expect(await isOffered(exit)).toBe(true);
  });
});

test('an exit that fails each third check leaves the catalogue', async () => {
  const node = await createNode();
  const exit = await createExit(node);
  for (let time = 0; time < 5; time += 1) {
    expect(await isOffered(exit)).toBe(time > 0);
    await report(node, checkOk(exit.id));
    await report(node, checkOk(exit.id));
    await report(node, checkFailed(exit.id));
  }
  expect(await isOffered(exit)).toBe(false);
  for (let time = 0; time < 2; time += 1) await report(node, checkOk(exit.id));
  expect(await inInventory(exit)).toMatchObject({ state: 'UNHEALTHY', check: { reason: null } });
});

test('the next check of an exit that carries the echo alone asks for more, whichever run makes it', async () => {
  const node = await createNode();
  const [exit, other] = [await createExit(node), await createExit(node)];
  await report(node, checkFailed(exit.id, 'echo-alone'), checkFailed(other.id));
  await node.letTimePass(60);
  const { due, echoAloneIds } = await node.exchange({ wanted: 9 });
  expect([due.length, echoAloneIds]).toEqual([2, [exit.id]]);
  // Neither says what else the exit carries.
  for (const check of [
    checkOk(exit.id, { outcome: 'inconclusive', reason: 'echo-unreachable' }),
    checkFailed(exit.id),
  ]) {
    await report(node, check, checkOk(other.id));
    await node.letTimePass(100);
    expect(await node.exchange({ wanted: 9 })).toMatchObject({ due: [{}, {}], echoAloneIds: [exit.id] });
  }
  await report(node, checkOk(exit.id), checkOk(other.id));
  await node.letTimePass(100);
  expect(await node.exchange({ wanted: 9 })).toMatchObject({ due: [{}, {}], echoAloneIds: [] });
});

describe('due checks', () => {
  test('are handed to one run of the exit’s node, and again if nothing is reported', async () => {
    const [node, other] = [await createNode(), await createNode()];
    const exits = [await createExit(node), await createExit(node), await createExit(node)];
    expect(await other.takeDue()).toEqual([]);
    const taken = await Promise.all([node.takeDue(), node.takeDue(), node.takeDue(1)]);
    expect(taken.flat().sort()).toEqual(exits.map(({ id }) => id).sort());
    expect(await node.takeDue()).toEqual([]);
    await node.letTimePass(31);
    expect(await node.takeDue(2)).toHaveLength(2);
  });

  test('come once a minute, and never of exits without proxies', async () => {
    const node = await createNode();
    const [used, unused] = [await createExit(node), await createExit(node)];
    await testApp.database.query('update proxies set retired_at = now() where id = $1', [unused.proxyId]);
    expect(await node.takeDue()).toEqual([used.id]);
    await report(node, checkOk(used.id));
    await node.letTimePass(44);
    expect(await node.takeDue()).toEqual([]);
    await node.letTimePass(32);
    expect(await node.takeDue()).toEqual([used.id]);
    await testApp.database.query('update proxies set retired_at = null where id = $1', [unused.proxyId]);
    expect(await node.takeDue()).toEqual([unused.id]);
  });

  test('of dead exits do not keep healthy ones waiting', async () => {
    const node = await createNode();
    const dead = [];
    for (let count = 0; count < 6; count += 1) dead.push((await createExit(node)).id);
    const working = await createExit(node);
    await report(node, checkOk(working.id));
    await node.letTimePass(600);
    await testApp.database.query('update exit_checks set next_check_at = now() where exit_id = $1', [working.id]);
    expect(await node.takeDue(2)).toContain(working.id);
  });

  test('that somebody waits for, that are suspected or confirm a change come before a backlog', async () => {
    const node = await createNode();
    const [requested, suspected, second] = [await createExit(node), await createExit(node), await createExit(node)];
    const urgentIds = [requested, suspected, second].map(({ id }) => id);
    await report(node, ...urgentIds.map((id) => checkOk(id)));
    const backlog = [await createExit(node), await createExit(node), await createExit(node), await createExit(node)];
    await node.letTimePass(40);
    await report(node, checkFailed(second.id));
    await admin.call(checkExitNow, { params: { id: requested.id } });
    await testApp.database.query(
      `update exit_checks set next_check_at = now() - interval '1 minute' where exit_id = any($1)`,
      [backlog.map(({ id }) => id)],
    );
    await testApp.database.query('update exit_checks set next_check_at = now() where exit_id = $1', [second.id]);
    const { due } = await node.exchange({ suspectIds: [suspected.id], wanted: 3 });
    expect(due.map(({ id }) => id).sort()).toEqual(urgentIds.sort());
    await report(node, ...urgentIds.map((id) => checkOk(id)));
    await node.letTimePass(100);
    expect(await node.takeDue(4)).not.toEqual(expect.arrayContaining(urgentIds));
  });

  test('are found among thousands without sorting them', async () => {
    const node = await createNode();
    await testApp.database.query(
      `insert into exits (node_id, kind, key, parameters)
       select id, 'http', 'http://many.test:' || port, jsonb_build_object('host', 'many.test', 'port', port)
         from gateway_nodes, generate_series(1, 3000) as port where name = $1`,
      [node.name],
    );
    await testApp.database.query('analyze exit_checks');
    const nodes = await testApp.database.query<{ id: string }>('select id from gateway_nodes where name = $1', [
      node.name,
    ]);
    const explained = await testApp.database.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) ${DUE}`,
      [nodes[0]!.id, 32],
    );
    const rows = rowsOf(explained[0]!['QUERY PLAN'][0].Plan);
    expect(Math.max(...rows)).toBeLessThanOrEqual(3 * 32);
  });

  test('come at once when customers’ tunnels fail, but not within ten seconds of the last one', async () => {
    const node = await createNode();
    const exit = await createExit(node);
    await report(node, checkOk(exit.id));
    const suspect = async () => (await node.exchange({ suspectIds: [exit.id], wanted: 9 })).due.map(({ id }) => id);
    expect(await suspect()).toEqual([]);
    await node.letTimePass(11);
    expect(await suspect()).toEqual([exit.id]);
    // Only checks decide.
    expect(await isOffered(exit)).toBe(true);
  });

  test('come at once when staff ask for one, which needs a permission', async () => {
    const node = await createNode();
    const exit = await createExit(node);
    await report(node, checkOk(exit.id));
    const ask = ({ call }: TestUser, id = exit.id) => call(checkExitNow, { params: { id } });
    await expect(ask(customer)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(ask(admin, randomUUID())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await node.takeDue()).toEqual([]);
    await ask(admin);
    expect(await node.takeDue()).toEqual([exit.id]);
  });
});

describe('a report', () => {
  test('about exits of another node changes nothing', async () => {
    const [node, other] = [await createNode(), await createNode()];
    const exit = await createExit(node);
    await report(other, checkOk(exit.id), checkOk(randomUUID()));
    expect(await inInventory(exit)).toMatchObject({ check: { health: 'UNCHECKED' } });
  });

  test('names the public address, and staff see whether it is the one that is sold', async () => {
    const node = await createNode();
    const exit = await createExit(node);
    const { ip } = await inInventory(exit);
    await report(node, checkOk(exit.id, { seenAddress: ip }));
    expect(await inInventory(exit)).toMatchObject({ check: { seenAddress: ip, isAddressDifferent: false } });
    await report(node, checkOk(exit.id, { seenAddress: '2001:db8::1' }));
    expect(await inInventory(exit)).toMatchObject({ state: 'FREE', check: { isAddressDifferent: true } });
    // Of the other family: the exit may have both.
    await report(node, checkOk(exit.id, { seenAddress: '198.51.100.7' }));
    expect(await inInventory(exit)).toMatchObject({ check: { isAddressDifferent: false } });
    await report(node, checkOk(exit.id));
    expect(await inInventory(exit)).toMatchObject({ check: { seenAddress: null, isAddressDifferent: false } });
  });

  test('of an exit with more proxies than one statement changes reaches all of them', async () => {
    const node = await createNode();
    const exit = await createExit(node);
    await testApp.database.query(
      `insert into proxies (ip, price_micros, country_code, region, city, zip, isp, connection_type, exit_id)
       select '203.0.113.0'::inet + n * 256, 800000, $2, 'r', 'c', 'z', 'i', 'LTE', $1 from generate_series(1, 12000) as n`,
      [exit.id, exit.countryCode],
    );
    await report(node, checkOk(exit.id));
    const counted = await testApp.database.query<{ count: number }>(
      'select count(*)::int as count from proxies where exit_id = $1 and is_healthy',
      [exit.id],
    );
    expect(counted[0]!.count).toBe(12_001);
  });
});

test('the echo returns the nonce and the address of the client, behind a trusted proxy as well', async () => {
  const nonce = randomUUID();
  expect((await testApp.call(echo, { query: { nonce } })).data).toEqual({ nonce, address: '127.0.0.1' });
  const forwarded = await testApp.call(echo, { query: { nonce } }, { headers: { 'x-forwarded-for': '198.51.100.9' } });
  expect(forwarded.data.address).toBe('198.51.100.9');
  await expect(testApp.call(echo, { query: { nonce: '<script>' } })).rejects.toMatchObject({ code: 'VALIDATION' });
});

test('the echo has a limit of its own, because a provider’s proxies may leave from one address', async () => {
  const limited = await startSecondApp(testApp, { requestsPerMinute: 1 });
  const ask = () => limited.call(echo, { query: { nonce: 'n' } });
  for (let time = 0; time < 3; time += 1) await ask();
  await limited.call(getLowestPrice, {});
  await expect(limited.call(getLowestPrice, {})).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await ask();
  await limited.stop();
});

test(
  'exits that were on sale before there were checks stay so until their checks fail',
  { tags: ['thorough'] },
  async () => {
    const clone = await cloneDatabase(inject('postgresUrl'), 'template1');
    const directory = await mkdtemp(path.join(os.tmpdir(), 'baseline-'));
    await copyFile(packagePath('migrations/0001_baseline.sql'), path.join(directory, '0001_baseline.sql'));
    await migrate(clone.url, { directory: pathToFileURL(`${directory}/`) });
    const client = new pg.Client({ connectionString: clone.url });
    await client.connect();
    await client.query("insert into gateway_nodes (name, token_hash) values ('old', '')");
    const addExit = (address: string) =>
      client.query("insert into exits (node_id, kind, address) select id, 'local-address', $1 from gateway_nodes", [
        address,
      ]);
    await addExit('192.0.2.1');
    await migrate(clone.url);
    const { rows } = await client.query(`select key, health from exit_checks join exits on exits.id = exit_id`);
    expect(rows).toEqual([{ key: 'local-address://192.0.2.1', health: 'HEALTHY' }]);
    await client.end();
    await rm(directory, { recursive: true });
    await clone.drop();
  },
);

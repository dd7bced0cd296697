import { connect } from '@cellhop/contract/connections';
import { hello } from '@cellhop/contract/gateway';
import { REFUSED_DESTINATIONS_MAX, REFUSED_DESTINATIONS_PAGE } from '@cellhop/contract/refused-destinations';
import { readRefusedPage } from '@cellhop/contract/refused-pages';
import {
  allowDestination,
  importDestinationList,
  listDestinationLists,
  listRefusedDestinations,
  refuseDestination,
  removeDestinationList,
} from '@cellhop/contract/staff/refused-destinations';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { registerNode } from '../gateway/gateway.service.ts';

const reason = 'complaint 4711';
const status = { softwareVersion: '0.5.0', tunnels: 0, bytesPerSecond: 0 };

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  await testApp.database.query('delete from refused_destinations');
});

const refuse = async (destination: string) =>
  (await admin.call(refuseDestination, { body: { destination, reason } })).data;
const importFile = async (list: string, content: string) =>
  (await admin.call(importDestinationList, { query: { list } }, { file: { type: 'text/plain', content } })).data;
const listed = async (query: { search?: string; list?: string } = {}) =>
  (await admin.call(listRefusedDestinations, { query })).data.map(({ destination }) => destination).toSorted();
const audited = async () => {
  const rows = await testApp.database.query<{ action: string; details: Record<string, unknown> }>(
    `select action, details from audit_log where subject_type = 'DESTINATION' order by id`,
  );
  return rows.slice(-2).map(({ action, details }) => [action, details]);
};

/** The revision that a node gets with its heartbeat, and the whole list. */
async function readAsNode() {
  const run = createGatewayRun(testApp);
  const { refusedRevision } = (await run.call(hello, { body: { contractVersion: 2, runId: run.runId, status } })).data;
  const pages: string[][] = [];
  for (let isLast = false; !isLast;) {
    const { data } = await run.call(readRefusedPage, { body: { after: pages.at(-1)?.at(-1) } });
    expect(data.revision).toBe(refusedRevision);
    pages.push(data.entries);
    isLast = data.isLast;
  }
  return { revision: refusedRevision, entries: pages.flat(), pages };
}

test('staff refuse a destination in any notation once, and remove it again; both are audited', async () => {
  const entry = await refuse(' https://Bad.Example/login ');
  expect(entry).toMatchObject({ destination: 'bad.example', list: null, reason });
  expect((await refuse('bad.example.')).id).toBe(entry.id);
  await refuse('203.0.113.7/24');
  expect(await listed()).toEqual(['203.0.113.0/24', 'bad.example']);
  expect(await listed({ search: 'BAD' })).toEqual(['bad.example']);
  await admin.call(allowDestination, { params: { id: entry.id } });
  expect(await audited()).toEqual([
    ['DESTINATION_REFUSED', { destination: '203.0.113.0/24', reason }],
    ['DESTINATION_ALLOWED', { destination: 'bad.example', list: null }],
  ]);
  await expect(admin.call(allowDestination, { params: { id: entry.id } })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a complaint about an address and a time names the connections that had it, and their owners, in the audit log', async () => {
  const customer = await createUser(testApp, { balanceMicros: 1_000_000n });
  const body = { id: await createProxy(testApp), price: 0.8 };
  const { data: bought } = await customer.call(connect, { body });
  const complaint = { ip: bought.ip, at: new Date(Date.parse(bought.createdAt) + 1).toISOString() };
  await admin.call(refuseDestination, { body: { destination: 'bad.example', reason, complaint } });
  const traced = { ...complaint, connections: [bought.id], users: [customer.id] };
  expect((await audited()).at(-1)).toEqual(['DESTINATION_REFUSED', { destination: 'bad.example', ...traced, reason }]);
  const before = { ...complaint, at: new Date(Date.parse(bought.createdAt) - 60_000).toISOString() };
  await admin.call(refuseDestination, { body: { destination: 'worse.example', reason, complaint: before } });
  expect((await audited()).at(-1)?.[1]).toMatchObject({ connections: [], users: [] });
});

test('what is no destination is refused with what it must be', async () => {
  await expect(refuse('0.0.0.0/0')).rejects.toMatchObject({
    code: 'VALIDATION',
    body: {
      details: [{ path: 'body.destination', message: expect.stringMatching(/^must be a name such as .* \/8 /) }],
    },
  });
  expect(await listed()).toEqual([]);
});

test('a file replaces the list with its name, and touches no other; wrong lines are named and change nothing', async () => {
  await refuse('own.example');
  expect(await importFile('malware', '# of today\r\n0.0.0.0 one.example\n.two.example # why\n\none.example')).toEqual({
    entries: 2,
    added: 2,
    removed: 0,
    errors: [],
    errorCount: 0,
  });
  await importFile('ads', 'three.example');
  const wrong = await importFile('malware', 'four.example\nnot a name\n300.1.2.3\n');
  expect(wrong).toEqual({
    entries: 0,
    added: 0,
    removed: 0,
    errorCount: 2,
    errors: [
      { line: 2, text: 'not a name' },
      { line: 3, text: '300.1.2.3' },
    ],
  });
  expect(await importFile('malware', '\uFEFFfour.example\n.two.example')).toMatchObject({ added: 1, removed: 1 });
  expect(await listed({ list: 'malware' })).toEqual(['.two.example', 'four.example']);
  const { data } = await admin.call(listDestinationLists, {});
  expect(data.map(({ list, entries }) => [list, entries])).toEqual([
    ['ads', 1],
    ['malware', 2],
  ]);
  await admin.call(removeDestinationList, { query: { list: 'ads' } });
  expect(await listed()).toEqual(['.two.example', 'four.example', 'own.example']);
  expect(await audited()).toEqual([
    ['DESTINATION_LIST_IMPORTED', { list: 'malware', entries: 2, added: 1, removed: 1 }],
    ['DESTINATION_LIST_REMOVED', { list: 'ads', removed: 1 }],
  ]);
  await expect(importFile('malware', '# nothing')).rejects.toMatchObject({ code: 'VALIDATION' });
});

test('all lists together have a maximum', { tags: ['thorough'] }, async () => {
  await importFile('half', Array.from({ length: REFUSED_DESTINATIONS_MAX - 1 }, (_, n) => `n${n}.example`).join('\n'));
  await refuse('last.example');
  await expect(refuse('more.example')).rejects.toMatchObject({ code: 'TOO_MANY_DESTINATIONS' });
  await expect(importFile('other', 'more.example')).rejects.toMatchObject({ code: 'TOO_MANY_DESTINATIONS' });
  expect(await importFile('half', 'few.example')).toMatchObject({ removed: REFUSED_DESTINATIONS_MAX - 1 });
});

test('a node gets all destinations once, and another revision after each change', async () => {
  await refuse('bad.example');
  await importFile('malware', 'bad.example\n203.0.113.0/24');
  const first = await readAsNode();
  expect(first.entries.toSorted()).toEqual(['203.0.113.0/24', 'bad.example']);
  expect((await readAsNode()).revision).toBe(first.revision);
  await refuse('.worse.example');
  const second = await readAsNode();
  expect(second.entries.toSorted()).toEqual(['.worse.example', '203.0.113.0/24', 'bad.example']);
  expect(second.revision).not.toBe(first.revision);
});

test('a long list comes in pages, each destination once', async () => {
  const names = Array.from({ length: 2 * REFUSED_DESTINATIONS_PAGE }, (_, n) => `n${n}.example`);
  await importFile('long', [...names, '.n1.example', '203.0.113.0/24'].join('\n'));
  await importFile('again', names.join('\n'));
  const { pages, entries } = await readAsNode();
  expect(pages.map(({ length }) => length)).toEqual([REFUSED_DESTINATIONS_PAGE, REFUSED_DESTINATIONS_PAGE, 2]);
  expect(entries.toSorted()).toEqual([...names, '.n1.example', '203.0.113.0/24'].toSorted());
});

test('nodes that wait are told at once', async () => {
  const run = createGatewayRun(testApp);
  let waiting: Promise<unknown> | undefined;
  // The first calls may be answered with what the tests before have changed.
  const wait = () => {
    const answer = run.watch();
    waiting = answer;
    void answer.then(() => (waiting = undefined));
  };
  const countWaiting = () => {
    if (!waiting) wait();
    return testApp.app.longPolls.size;
  };
  await expect.poll(countWaiting).toBe(1);
  const told = waiting;
  await refuse('soon.example');
  expect(await told).toEqual({ ended: [], areDestinationsChanged: true });
});

test('who may not see the inventory sees no destination and changes none', async () => {
  const support = await createUser(testApp, { roleName: 'SUPPORT' });
  await expect(support.call(listRefusedDestinations, { query: {} })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  const body = { destination: 'bad.example', reason };
  await expect(support.call(refuseDestination, { body })).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

import { connect } from '@cellhop/contract/connections';
import { IMPORT_BYTES_MAX, IMPORT_ERRORS_COUNTED_MAX, IMPORT_ERRORS_MAX } from '@cellhop/contract/limits';
import {
  applyImport,
  checkImport,
  exportInventory,
  listInventory,
  readInventoryChange,
} from '@cellhop/contract/staff/inventory';
import { importColumns } from '@cellhop/contract/staff/inventory.values';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, defaultExit, markHealthy, type TestUser } from '../../../test/factories.ts';
import { runJobs } from '../../../test/mail.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { addNode } from '../gateway/gateway.service.ts';
import * as imports from './imports.service.ts';

const HEADER = importColumns.join(',');

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  await addNode(testApp.ctx, 'paris');
  await addNode(testApp.ctx, 'rome');
});
afterAll(() => testApp.stop());

interface Line {
  ip: string;
  price?: number;
  node?: string;
  exit?: string;
}

const lineOf = ({ ip, price = 0.8, node = 'paris', exit = '' }: Line) =>
  `${ip},${price},DE,Berlin,Berlin,10115,Telekom,LTE,${node},local-address,${exit}`;
const csvOf = (...lines: Line[]) => [HEADER, ...lines.map(lineOf)].join('\r\n');

async function check(
  content: string,
  {
    user = admin,
    fileName = 'stock.csv',
    format = 'csv',
  }: { user?: TestUser; fileName?: string; format?: 'csv' | 'json' } = {},
) {
  const file = { type: 'text/csv', content };
  return (await user.call(checkImport, { query: { format, fileName } }, { file })).data;
}
async function apply(id: string | null, user = admin) {
  const ordered = (await user.call(applyImport, { params: { id: id! } })).data;
  await runJobs(testApp);
  return (await admin.call(readInventoryChange, { params: { id: ordered.id } })).data;
}
const importAll = async (content: string) => apply((await check(content)).id);
const find = async (ip: string) => (await admin.call(listInventory, { query: { ip } })).data;

async function countEntries(action: string): Promise<number> {
  const rows = await testApp.database.query('select from audit_log where action = $1', [action]);
  return rows.length;
}

describe('an import', () => {
  test('is checked first and changes the catalogue only when it is applied', async () => {
    const content = csvOf({ ip: '192.0.2.1' }, { ip: '192.0.2.2', node: 'rome', exit: '10.0.0.9' });
    const checked = await check(content);
    expect(checked).toMatchObject({ newCount: 2, changedCount: 0, unchangedCount: 0, errors: [], errorCount: 0 });
    expect(await find('192.0.2')).toEqual([]);
    expect(await apply(checked.id)).toMatchObject({
      kind: 'IMPORT',
      status: 'DONE',
      rowCount: 2,
      doneCount: 2,
      newCount: 2,
    });
    expect(await find('192.0.2')).toMatchObject([
      { ip: '192.0.2.1', price: 0.8, state: 'UNCHECKED', exit: { node: 'paris', address: null } },
      { ip: '192.0.2.2', exit: { node: 'rome', address: '10.0.0.9' } },
    ]);
    const [entry] = await testApp.database.query<{ actorId: string; details: object }>(
      `select actor_id as "actorId", details from audit_log where action = 'CATALOGUE_IMPORTED' order by id desc limit 1`,
    );
    expect(entry).toMatchObject({
      actorId: admin.id,
      details: { fileName: 'stock.csv', newCount: 2, changedCount: 0, unchangedCount: 0 },
    });
  });

  test('reports how many proxies are new, changed and unchanged, and the same file again changes nothing', async () => {
    await importAll(csvOf({ ip: '198.51.100.1' }, { ip: '198.51.100.2' }));
    const content = csvOf(
      { ip: '198.51.100.1' },
      { ip: '198.51.100.2', price: 0.9 },
      { ip: '198.51.100.3', exit: '10.0.0.1' },
    );
    const first = await check(content);
    expect(first).toMatchObject({ newCount: 1, changedCount: 1, unchangedCount: 1 });
    await apply(first.id);
    expect(await check(content)).toMatchObject({ newCount: 0, changedCount: 0, unchangedCount: 3 });
    // A different exit is enough for a change, also one that its node does not have yet.
    expect(await check(csvOf({ ip: '198.51.100.1', exit: '10.0.0.2' }))).toMatchObject({ changedCount: 1 });
    expect(await check(csvOf({ ip: '198.51.100.1', node: 'rome' }))).toMatchObject({ changedCount: 1 });
  });

  test('applied twice is one change with one audit entry, also at the same time', async () => {
    const { id } = await check(csvOf({ ip: '198.51.100.10' }));
    const before = await countEntries('CATALOGUE_IMPORTED');
    const done = { status: 'DONE', rowCount: 1, newCount: 1 };
    const order = () => admin.call(applyImport, { params: { id: id! } });
    const ordered = await Promise.all([order(), order(), order()]);
    expect(new Set(ordered.map(({ data }) => data.id)).size).toBe(1);
    expect(await apply(id)).toMatchObject(done);
    expect(await apply(id)).toMatchObject(done);
    expect(await countEntries('CATALOGUE_IMPORTED')).toBe(before + 1);
  });

  test('is refused if the catalogue has changed since it was checked', async () => {
    const { id } = await check(csvOf({ ip: '198.51.100.20' }));
    await testApp.database.query(
      `insert into proxies (ip, price_micros, country_code, region, city, zip, isp, connection_type, exit_id)
       values ('198.51.100.20', 500000, 'DE', 'r', 'c', '1', 'i', 'LTE', $1)`,
      [await defaultExit(testApp)],
    );
    await expect(apply(id)).rejects.toMatchObject({ status: 409, code: 'CHANGED_ELSEWHERE' });
    expect(await find('198.51.100.20')).toMatchObject([{ price: 0.5 }]);
  });

  test('of a sold proxy changes the price of the next sale only', async () => {
    await importAll(csvOf({ ip: '198.51.100.30', price: 1 }));
    await markHealthy(testApp);
    const [row] = await find('198.51.100.30');
    const user = await createUser(testApp, { balanceMicros: 5_000_000n });
    const { data: connection } = await user.call(connect, { body: { id: row!.id, price: 1 } });
    await importAll(csvOf({ ip: '198.51.100.30', price: 2 }));
    const stored = await testApp.database.query('select price_micros as micros from connections where id = $1', [
      connection.id,
    ]);
    expect(stored).toEqual([{ micros: 1_000_000n }]);
    expect(await find('198.51.100.30')).toMatchObject([{ price: 2, state: 'SOLD' }]);
  });

  test('does not restore retired proxies', async () => {
    await importAll(csvOf({ ip: '198.51.100.40' }));
    await testApp.database.query(`update proxies set retired_at = now() where ip = '198.51.100.40'`);
    await importAll(csvOf({ ip: '198.51.100.40', price: 3 }));
    expect(await find('198.51.100.40')).toMatchObject([{ price: 3, state: 'RETIRED' }]);
  });

  test('of an exported file, CSV or JSON, changes nothing', async () => {
    const names = ['+Móvil', '@Home', '=1+1', "'=2", '-x', "'it's'", 'a;"=1"', 'x, "y"'];
    const rows = names.map((isp, index) => ({
      ...Object.fromEntries(importColumns.map((column, at) => [column, lineOf({ ip: '' }).split(',')[at]])),
      ip: `198.51.100.${60 + index}`,
      isp,
    }));
    await apply((await check(JSON.stringify(rows), { format: 'json' })).id);
    expect(await find('198.51.100.60')).toMatchObject([{ isp: '+Móvil' }]);
    for (const format of ['csv', 'json'] as const) {
      const content = await admin.call(exportInventory, { query: { format, node: 'paris' } });
      const { newCount, changedCount, unchangedCount, errors } = await check(content, { format });
      expect({ newCount, changedCount, errors }).toEqual({ newCount: 0, changedCount: 0, errors: [] });
      expect(unchangedCount).toBeGreaterThan(2);
    }
  });

  test('belongs to the member of staff who uploaded it, and only the last file of each is kept', async () => {
    const colleague = await createUser(testApp, { roleName: 'ADMIN' });
    const { id } = await check(csvOf({ ip: '198.51.100.50' }));
    await expect(apply(id, colleague)).rejects.toMatchObject({ status: 404 });
    await check(csvOf({ ip: '198.51.100.51' }), { user: colleague });
    await check(csvOf({ ip: '198.51.100.52' }));
    await expect(apply(id)).rejects.toMatchObject({ status: 404 });
    await expect(apply(randomUUID())).rejects.toMatchObject({ status: 404 });
  });
});

describe('a file with errors', () => {
  test('is refused with all errors by line and column, and not stored', async () => {
    const lines = [
      HEADER,
      lineOf({ ip: '203.0.113.1' }),
      lineOf({ ip: 'x' }),
      lineOf({ ip: '203.0.113.1', node: 'oslo' }),
    ];
    expect(await check(lines.join('\n'))).toEqual({
      id: null,
      newCount: 0,
      changedCount: 0,
      unchangedCount: 0,
      waitingCount: 0,
      preview: [expect.objectContaining({ line: 2, ip: '203.0.113.1' }) as unknown],
      errors: [
        { line: 3, column: 'ip', problem: 'NOT_AN_ADDRESS', value: null },
        { line: 4, column: 'ip', problem: 'DUPLICATE_IP', value: '2' },
        { line: 4, column: 'node', problem: 'UNKNOWN_NODE', value: null },
      ],
      errorCount: 3,
    });
    const rows = await testApp.database.query(`select from catalogue_import_rows where ip = '203.0.113.1'`);
    expect(rows).toEqual([]);
  });

  test('lists the first errors, and is read until the thousandth', async () => {
    const { errors, errorCount } = await check([HEADER, ...Array.from({ length: 999 }, () => 'x')].join('\n'));
    expect(errors).toHaveLength(IMPORT_ERRORS_MAX);
    expect(errorCount).toBe(999);
    const rows = Array.from({ length: 150_000 }, () => `x${','.repeat(importColumns.length - 1)}`);
    expect((await check([HEADER, ...rows].join('\n'))).errorCount).toBe(IMPORT_ERRORS_COUNTED_MAX);
  });

  test('has no errors in empty rows, which spreadsheets write as lines of commas', async () => {
    const rows = Array.from({ length: 150_000 }, () => ','.repeat(importColumns.length - 1));
    expect(await check([csvOf({ ip: '203.0.113.2' }), ...rows].join('\n'))).toMatchObject({
      newCount: 1,
      errorCount: 0,
    });
    expect((await check([HEADER, ...rows].join('\n'))).errors).toMatchObject([{ problem: 'NO_ROWS' }]);
  });
});

const upload = (body: string | Buffer | ReadableStream, init: RequestInit & { duplex?: 'half' } = {}) =>
  fetch(`${testApp.url}${checkImport.url}?format=csv&fileName=a.csv`, {
    method: 'POST',
    headers: admin.headers,
    body: body as BodyInit,
    ...init,
  });

describe('the upload', () => {
  test(
    'is refused above its size limit, before it is read if Content-Length exceeds the limit',
    { tags: ['thorough'] },
    async () => {
      const response = await upload(Buffer.alloc(IMPORT_BYTES_MAX + 1, 'x'));
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    },
  );

  test('does not raise the limit of other routes', async () => {
    const body = JSON.stringify({ filter: {}, padding: 'x'.repeat(70_000) });
    const headers = { ...admin.headers, 'content-type': 'application/json' };
    const response = await fetch(`${testApp.url}/v1/proxies/admin/retire`, { method: 'POST', headers, body });
    expect(response.status).toBe(413);
    const text = await fetch(`${testApp.url}/v1/proxies/admin/retire`, {
      method: 'POST',
      headers: { ...admin.headers, 'content-type': 'text/csv' },
      body: 'a',
    });
    expect(text.status).toBe(415);
  });

  test('without a file, a format or a name is refused', async () => {
    expect((await upload('')).status).toBe(400);
    const response = await fetch(`${testApp.url}${checkImport.url}`, {
      method: 'POST',
      headers: admin.headers,
      body: 'a',
    });
    expect(await response.json()).toMatchObject({ code: 'VALIDATION' });
  });

  test('is refused without the permission before it is read', async () => {
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    const response = await upload(Buffer.alloc(1_000_000), { headers: support.headers });
    expect(response.status).toBe(403);
  });

  test('is limited to one at a time per user, and an aborted upload frees its slot', async () => {
    const abort = new AbortController();
    const stuck = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('x')) });
    const first = upload(stuck, { duplex: 'half', signal: abort.signal }).catch(() => 'aborted');
    await expect.poll(() => testApp.app.uploads.count).toBe(1);
    const second = await upload(csvOf({ ip: '203.0.113.9' }));
    expect(second.status).toBe(429);
    expect(second.headers.get('retry-after')).toBe('10');
    abort.abort();
    expect(await first).toBe('aborted');
    await expect.poll(() => testApp.app.uploads.count).toBe(0);
    expect((await upload(csvOf({ ip: '203.0.113.9' }))).status).toBe(200);
  });
});

const oneRow = (ip: string) => ({ format: 'csv' as const, fileName: 'a', content: Buffer.from(csvOf({ ip })) });

test('unapplied files are deleted after a day, applied ones after a month', async () => {
  const editor = { actorId: undefined, requester: undefined };
  const applied = await imports.checkImport(testApp.ctx, editor, oneRow('203.0.113.20'));
  await testApp.ctx.tx((ctx) => imports.applyImport(ctx, editor, applied.id!, async () => {}));
  const waiting = await imports.checkImport(testApp.ctx, editor, oneRow('203.0.113.21'));
  const ids = [applied.id, waiting.id];
  const remaining = async () => {
    await imports.deleteOldImports(testApp.ctx);
    return testApp.database.query('select id from catalogue_imports where id = any($1::uuid[])', [ids]);
  };
  expect(await remaining()).toHaveLength(2);
  await testApp.database.query(`update catalogue_imports set created_at = now() - interval '25 hours'`);
  expect(await remaining()).toEqual([{ id: applied.id }]);
  await testApp.database.query(`update catalogue_imports set created_at = now() - interval '31 days'`);
  expect(await remaining()).toEqual([]);
});

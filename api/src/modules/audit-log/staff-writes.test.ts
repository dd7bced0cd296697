import type { EndpointDefinition } from '@cellhop/contract/endpoint';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser } from '../../../test/factories.ts';
import { neededPermission } from '../../../test/permission-table.ts';
import { StaffWrites } from '../../../test/staff-writes.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { buildApp } from '../../app.ts';

const source = new URL('../../', import.meta.url);
const contract = new URL('../../../../contract/src/', import.meta.url);
const filesOf = (folder: URL) => readdirSync(folder, { recursive: true, encoding: 'utf8' });
/** The name of each endpoint in the contract, by method and URL. */
const names = new Map<string, string>();
for (const file of filesOf(contract).filter((name) => /^[\w/-]+\.ts$/.test(name)))
  for (const [name, value] of Object.entries((await import(new URL(file, contract).href)) as object) as [
    string,
    EndpointDefinition,
  ][])
    if (typeof value === 'object' && value !== null && 'url' in value) names.set(`${value.method} ${value.url}`, name);
const writes = [...names.keys()].filter((name) => !name.startsWith('GET ') && neededPermission(name) !== undefined);

const tests = filesOf(source)
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => readFileSync(new URL(file, source), 'utf8'))
  .concat(
    filesOf(new URL('../test/', source))
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(new URL(`../test/${file}`, source), 'utf8')),
  );

// The test application checks the audit log after the requests of each test file, so each write of staff must be in one.
test.each(writes)('%s is called by a test', (endpoint) => {
  const call = new RegExp(`\\bcall\\(\\s*(?:\\w+\\.)?${names.get(endpoint)}\\b`);
  expect(tests.some((text) => call.test(text))).toBe(true);
});

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

test('a write of staff without an entry is found', async () => {
  const admin = await createUser(testApp, { roleName: 'ADMIN' });
  const app = await buildApp(testApp.ctx);
  const staffWrites = new StaffWrites();
  staffWrites.watch(app);
  // Imitates a service that forgets to record its write.
  app.addHook('onSend', async (_request, reply) => void reply.code(201));
  await staffWrites.check(testApp.database);
  await app.inject({
    method: 'POST',
    url: '/v1/transactions/admin/adjustments',
    headers: { authorization: admin.headers.authorization },
    payload: {},
  });
  await expect(staffWrites.check(testApp.database)).rejects.toThrow('POST /v1/transactions/admin/adjustments');
  await app.close();
});

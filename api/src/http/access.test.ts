import type { EndpointDefinition } from '@cellhop/contract/endpoint';
import { type Permission, seededRoles } from '@cellhop/contract/permissions';
import { errorBodySchema } from '@cellhop/contract/schemas';
import { logout, signIn } from '@cellhop/contract/auth';
import { toPath } from '@cellhop/contract/client';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoints, nameOf, named } from '../../test/endpoints.ts';
import { createUser, PASSWORD } from '../../test/factories.ts';
import { exceptions, neededPermission } from '../../test/permission-table.ts';
import { GATEWAY_TOKEN, startTestApp, type TestApp } from '../../test/test-app.ts';
import { valueCountLimitFor } from './body.ts';
import { scaled } from '../../../tools/test-scale.ts';

/** The permission that an endpoint of staff needs; `any`: at least one of all. */
function permissionOf({ access }: EndpointDefinition): Permission | 'any' | undefined {
  return typeof access === 'object' ? access.permission : access === 'staff' ? 'any' : undefined;
}

function isHeld(needed: Permission | 'any', permissions: readonly Permission[]): boolean {
  return needed === 'any' ? permissions.length > 0 : permissions.includes(needed);
}

let testApp: TestApp;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  testApp = await startTestApp();
  for (const roleName of Object.keys(seededRoles)) {
    const { email } = await createUser(testApp, { roleName });
    const { data } = await testApp.call(signIn, { body: { email, password: PASSWORD } });
    tokens[roleName] = data.accessToken;
  }
});
afterAll(() => testApp.stop());

async function send(endpoint: EndpointDefinition, token: string | undefined, id: string, body: unknown, query = '') {
  const path = toPath(endpoint.url, { id, sessionId: id });
  const response = await fetch(testApp.url + path + query, {
    method: endpoint.method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(endpoint.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(endpoint.body === undefined ? {} : { body: JSON.stringify(body) ?? '' }),
  });
  return { status: response.status, text: await response.text() };
}

const closed = endpoints.filter(({ access }) => access !== 'public' && access !== 'development');
const forStaff = endpoints.filter((endpoint) => permissionOf(endpoint) !== undefined);

describe('access', () => {
  test('the table of endpoints is not empty', () => {
    expect(endpoints.length).toBeGreaterThan(20);
    expect(forStaff.length).toBeGreaterThan(2);
  });

  test.each(named(closed))('%s requires a token', async (_name, endpoint) => {
    expect((await send(endpoint, undefined, randomUUID(), {})).status).toBe(401);
    expect((await send(endpoint, 'forged', randomUUID(), {})).status).toBe(401);
  });

  test('each endpoint of staff declares the permission of its area, and no other one has an address of staff', () => {
    const declared = endpoints.map((endpoint) => [nameOf(endpoint), permissionOf(endpoint)] as const);
    expect(Object.fromEntries(declared)).toEqual(
      Object.fromEntries(declared.map(([name]) => [name, neededPermission(name)])),
    );
    const ofStaff = declared.filter(([name]) => /\/admin(?:\/|$)/.test(name));
    expect(ofStaff.filter(([, permission]) => permission === undefined)).toEqual([]);
    expect(ofStaff.map(([name]) => name)).toEqual(expect.arrayContaining(Object.keys(exceptions)));
  });

  test.each(named(forStaff))('%s is open only to roles with its permission', async (_name, endpoint) => {
    const permission = permissionOf(endpoint)!;
    for (const [roleName, permissions] of Object.entries(seededRoles)) {
      const { status } = await send(endpoint, tokens[roleName], randomUUID(), {});
      expect(`${roleName}: ${status === 403 ? 'refused' : 'allowed'}`).toBe(
        `${roleName}: ${isHeld(permission, permissions) ? 'allowed' : 'refused'}`,
      );
    }
  });

  test.each(named(endpoints.filter(({ access }) => access === 'gateway')))(
    '%s is for gateways alone',
    async (_name, endpoint) => {
      expect((await send(endpoint, tokens['ADMIN'], randomUUID(), {})).status).toBe(401);
    },
  );
});

describe('for any input', () => {
  const junk = fc.oneof(
    fc.json().map((text) => JSON.parse(text) as unknown),
    fc.record({ id: fc.uuid(), price: fc.double(), amount: fc.double(), currency: fc.string(), email: fc.string() }),
    fc.record({
      runId: fc.uuid(),
      usages: fc.array(
        fc.record({
          connectionId: fc.uuid(),
          usedBytes: fc.nat(),
          uploadedBytes: fc.nat(),
          isExitLost: fc.boolean(),
          wantedBytes: fc.nat(),
        }),
      ),
    }),
  );
  const ids = fc.oneof(fc.uuid(), fc.string({ minLength: 1 }));
  const queries = fc
    .dictionary(
      fc.constantFrom('page', 'size', 'userId', 'city', 'code', 'kind', 'from'),
      fc.string({ unit: 'binary', maxLength: 20 }),
    )
    .map((query) => `?${new URLSearchParams(query).toString()}`);

  const dated = endpoints.filter(({ query }) => query !== undefined && 'from' in query.shape);
  const dates = [
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    `2026-01-01T00:00:00.${'1'.repeat(300)}Z`,
  ];

  test.each(named(dated))(
    '%s accepts or refuses a date of any year without a server error',
    async (_name, endpoint) => {
      expect(dated.length).toBeGreaterThan(2);
      for (const from of dates)
        for (const to of [...dates, '0000-06-01T00:00:00Z']) {
          const query = `?${new URLSearchParams({ from, to }).toString()}`;
          const { status } = await send(endpoint, tokens['ADMIN'], randomUUID(), {}, query);
          expect({ from, to, isRight: [200, 400].includes(status) }).toEqual({ from, to, isRight: true });
        }
    },
  );

  // Log-out would invalidate the token for later calls.
  const fuzzed = endpoints.filter((endpoint) => endpoint !== logout);

  test('no endpoint has a server error, and all errors have the same format', { tags: ['thorough'] }, async () => {
    await testApp.database.query("insert into gateway_nodes (name, token_hash) values ('fuzz', sha256($1))", [
      Buffer.from(GATEWAY_TOKEN),
    ]);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...fuzzed), ids, junk, queries, async (endpoint, id, body, query) => {
        const token = endpoint.access === 'gateway' ? GATEWAY_TOKEN : tokens['ADMIN'];
        const { status, text } = await send(endpoint, token, id, body, query);
        expect(`${endpoint.url} ${status}`).not.toMatch(/ 5\d\d$/);
        const bodyStatus = status >= 400 ? errorBodySchema.parse(JSON.parse(text)).statusCode : status;
        expect(bodyStatus).toBe(status);
      }),
      { numRuns: scaled(200, 600) },
    );
  });
});

test.each(endpoints.filter(({ body, access }) => body && access !== 'gateway'))(
  'no more values are read for $method $url than its schema can hold',
  (endpoint) => {
    expect(valueCountLimitFor(endpoint)).toBeLessThan(1000);
  },
);

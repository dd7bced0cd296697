import { describe, expect, onTestFinished, test } from 'vitest';
import type { Ctx } from '../src/ctx.ts';
import { createProxy, createUser } from './factories.ts';
import { startTestApp, type TestApp } from './test-app.ts';

test('reset restores rows, also those that triggers protect, sequences and settings', async () => {
  const testApp = await startTestApp();
  onTestFinished(() => testApp.stop());
  const { ctx, database } = testApp;
  const counts = async () => {
    const tables = ['users', 'proxies', 'roles', 'accounts', 'transfers', 'chain_cursors'];
    const rows = await Promise.all(tables.map((table) => database.query(`select to_jsonb(${table}) from ${table}`)));
    return rows.map((each) => each.map((row) => JSON.stringify(row)).toSorted());
  };
  await testApp.reset();
  const before = await counts();
  const first = await createUser(testApp, { balanceMicros: 5n });
  await createProxy(testApp);
  await database.query(`update chain_cursors set cursor = 'moved'`);
  await database.query(`delete from roles where name = 'SUPPORT'`);
  ctx.config.brandName = 'Another';
  ctx.config.payments.accounts = {};
  const { brandName, payments } = ctx.config;
  await testApp.reset();
  expect(await counts()).toEqual(before);
  expect(ctx.config.brandName).not.toBe(brandName);
  expect(ctx.config.payments).not.toBe(payments);
  expect((await createUser(testApp)).accountId).toBe(first.accountId);
});

/** @returns what a test app that is alone in its file finds, and its database */
async function use(work: (app: TestApp) => Promise<unknown>): Promise<{ name: string; users: number; ctx: Ctx }> {
  const app = await startTestApp();
  try {
    const [row] = await app.database.query<{ name: string; users: number }>(
      'select current_database() as name, count(*)::int as users from users',
    );
    await work(app);
    return { ...row!, ctx: app.ctx };
  } finally {
    await app.stop();
  }
}

describe('the database of a worker', () => {
  test('is that of the next app, with its first content', async () => {
    const first = await use(async (app) => {
      await app.reset();
      await createUser(app);
    });
    const second = await use(createUser);
    expect([second.name, second.users]).toEqual([first.name, first.users]);
    await expect(first.ctx.db.query('select')).rejects.toThrow('The test app has stopped.');
  });

  test(
    'is a new one for an app beside another, and after a change of the schema or the settings',
    { tags: ['thorough'] },
    async () => {
      const changes = [
        'alter table users add column extra text',
        'create function refuse() returns trigger language plpgsql as $$ begin return null; end $$',
        `do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
      ];
      const names = new Set<string>();
      for (const change of changes) {
        const { name } = await use(async (app) => {
          await app.database.query(change);
          const beside = await startTestApp();
          expect(beside.ctx.config.databaseUrl).not.toBe(app.ctx.config.databaseUrl);
          await beside.stop();
        });
        names.add(name);
      }
      expect(names.size).toBe(changes.length);
    },
  );
});

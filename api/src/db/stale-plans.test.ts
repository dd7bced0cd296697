import { getProfile } from '@cellhop/contract/users';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser } from '../../test/factories.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';

/** A migration that makes the prepared statements of this process stale. */
let testApp: TestApp;

beforeAll(async () => {
  testApp = await startTestApp({ databasePoolSize: 4 });
  await testApp.database.query('create table planned (id integer primary key)');
});
afterAll(() => testApp.stop());

const readAll = () => testApp.database.query('select * from planned order by id');
/** Runs on every connection of the pool. */
const readOnEach = () =>
  Promise.all(
    Array.from({ length: 4 }, () =>
      testApp.database.transaction(async (db) => {
        await db.query('select pg_sleep(0.05)');
        return db.query('select * from planned order by id');
      }),
    ),
  );
const insertAndRead = (id: number) =>
  testApp.database.transaction(async (db) => {
    await db.query('insert into planned (id) values ($1)', [id]);
    return db.query('select * from planned where id = $1', [id]);
  });
let columns = 0;
const widen = () => {
  columns += 1;
  return testApp.database.query(`alter table planned add column extra_${columns} integer`);
};

describe('after a migration that changes what a prepared statement returns', () => {
  test('a single statement is prepared again', async () => {
    await readOnEach();
    await widen();
    expect(await readAll()).toEqual([]);
  });

  test('a transaction is retried on every connection, and takes effect once', async () => {
    await readOnEach();
    await widen();
    await Promise.all([1, 2, 3, 4].map(insertAndRead));
    expect(await readAll()).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]);
    await readOnEach();
    await widen();
    await Promise.all([5, 6, 7, 8].map(insertAndRead));
    expect(await readAll()).toHaveLength(8);
  });

  test('a request succeeds', async () => {
    const user = await createUser(testApp);
    const { data } = await user.call(getProfile, {});
    await testApp.database.query('drop view readable_roles');
    await testApp.database.query('alter table roles alter column permissions type varchar(400)[]');
    await expect(Promise.all(Array.from({ length: 8 }, () => user.call(getProfile, {})))).resolves.toEqual(
      Array.from({ length: 8 }, () => ({ data })),
    );
  });
});

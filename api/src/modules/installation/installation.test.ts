import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { releases } from '../../db/releases.ts';
import { recordStart, requireMatch } from './installation.service.ts';

let testApp: TestApp;
/** On a database of its own, because the tests change its schema. */
beforeAll(async () => {
  testApp = await startTestApp({ databasePoolSize: 4 });
});
afterAll(() => testApp.stop());

const query = (text: string) => testApp.database.query(text);
const ready = async () => {
  const response = await fetch(`${testApp.url}/health/ready`);
  return { code: response.status, body: await response.json() };
};
const HIDDEN = 'alter table installation rename to hidden';

test('the first start records the releases that may run and the key, a later one of the previous release changes nothing', async () => {
  await requireMatch(testApp.ctx);
  await recordStart(testApp.ctx);
  await query("update installation set oldest_release = '{0,98,0}', newest_release = '{0,99,0}'");
  await recordStart(testApp.ctx);
  const read =
    'select oldest_release as oldest, newest_release as newest, length(key_fingerprint) as bytes from installation';
  expect(await query(read)).toEqual([{ oldest: [0, 98, 0], newest: [0, 99, 0], bytes: 32 }]);
  await query('delete from installation');
  await recordStart(testApp.ctx);
  const [oldest, newest] = [releases.oldest, releases.own].map((release) => release.split('.').map(Number));
  expect(await query(read)).toEqual([{ oldest, newest, bytes: 32 }]);
});

test.each([
  [
    'a database without a schema',
    HIDDEN,
    'alter table hidden rename to installation',
    /changes are missing, the first is 0001_/,
  ],
  [
    'an older schema',
    "update schema_migrations set name = 'hidden ' || name where name like '0002%'",
    "update schema_migrations set name = substr(name, 8) where name like 'hidden %'",
    /: 1 changes are missing, the first is 0002_exit_checks.sql. To make them: npm start/,
  ],
  [
    'a schema that is too new',
    "update installation set oldest_release = '{10,1,0}', newest_release = '{10,2,0}'",
    "update installation set oldest_release = '{0,3,0}'",
    /has the schema of release 10.2.0, on which no release before 10.1.0 runs, and this is /,
  ],
  [
    'a database of another key',
    "update installation set key_fingerprint = sha256('other')",
    'update installation set key_fingerprint = null',
    /SECRET_KEY does not contain the key of this database.* If it is lost for good: npm run replace-key/,
  ],
])('on %s the API is not ready and says why, until it fits again', async (_, change, undo, text) => {
  await query(change);
  expect(await ready()).toEqual({
    code: 503,
    body: { status: 'unavailable', database: 'refused', gateway: 'away', reason: expect.stringMatching(text) },
  });
  await query(undo);
  expect(await ready()).toEqual({ code: 200, body: { status: 'ok', database: 'ok', gateway: 'away' } });
});

test('this release runs on the schema of the next one', async () => {
  const own = `{${releases.own.replaceAll('.', ',')}}`;
  await query(`update installation set oldest_release = '${own}', newest_release = '{99,0,0}'`);
  await query("insert into schema_migrations (name, sha256) values ('9999_of_the_next_release.sql', '')");
  await expect(requireMatch(testApp.ctx)).resolves.toBeUndefined();
});

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, PASSWORD } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import type { Requester } from '../../http/requester.ts';
import { createCtx, type Ctx } from '../../ctx.ts';
import type { Database, Db } from '../../db/db.ts';
import * as auth from './auth.service.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp({ isDevelopment: false });
});
afterAll(() => testApp.stop());

const client: Requester = { ip: '203.0.113.7', userAgent: 'curl/8', requestId: 'request-1' };

/** Runs it on the real database. @returns the texts of all statements in order, and the outcome */
async function watch(work: (ctx: Ctx) => Promise<unknown>) {
  const statements: string[] = [];
  const spied = (db: Db): Db => ({
    query: (text, values, options) => {
      statements.push(text);
      return db.query(text, values, options);
    },
  });
  const { database, ctx } = testApp;
  const spy: Database = {
    ...spied(database),
    transaction: (inner) => database.transaction((db) => inner(spied(db))),
    poolUsage: () => database.poolUsage(),
    beforeClose: (end) => database.beforeClose(end),
    close: () => database.close(),
  };
  const startedAt = performance.now();
  const end = await work(createCtx(spy, ctx.config, ctx.log)).then(
    () => 'answered',
    (error: Error) => error.message,
  );
  return { statements, end, ms: performance.now() - startedAt };
}

const nobody = () => `${randomBytes(6).toString('hex')}@example.com`;

/** Compares statements and hashes instead of measuring time. */
describe('an address without an account causes the same work as one with an account', () => {
  test('at sign-in, up to the last allowed attempt', async () => {
    const [known, unknown] = [(await createUser(testApp)).email, nobody()];
    for (let attempt = 0; attempt < 7; attempt++) {
      const guess = (email: string) =>
        watch((ctx) => auth.signIn(ctx, { email, password: 'a wrong password' }, undefined, client));
      const [one, other] = [await guess(known), await guess(unknown)];
      expect(one.end).toBe(attempt < 5 ? 'Invalid credentials' : 'Too many requests');
      expect(other.end).toBe(one.end);
      expect(other.statements).toEqual(one.statements);
      expect(one.statements.length).toBeGreaterThan(0);
    }
  });

  test('at sign-in to a deleted account', async () => {
    const { id, email } = await createUser(testApp);
    await testApp.database.query(`update users set status = 'DELETED' where id = $1`, [id]);
    const [one, other] = await Promise.all(
      [email, nobody()].map((each) =>
        watch((ctx) => auth.signIn(ctx, { email: each, password: PASSWORD }, undefined, client)),
      ),
    );
    expect([one!.end, other!.end]).toEqual(['Invalid credentials', 'Invalid credentials']);
    expect(other!.statements).toEqual(one!.statements);
  });

  test('at recovery, the first time and within the resend interval', async () => {
    const [known, unknown] = [(await createUser(testApp)).email, nobody()];
    for (const expected of [/^answered$/, /^Small interval resend code - \d+$/]) {
      const recover = (email: string) => watch((ctx) => auth.recoverPassword(ctx, email, client));
      const [one, other] = [await recover(known), await recover(unknown)];
      expect(one.end).toMatch(expected);
      expect(other.end).toMatch(expected);
      expect(other.statements).toEqual(one.statements);
    }
  });

  test('when a recovery is resent', async () => {
    const emails = [(await createUser(testApp)).email, nobody()];
    const seen: string[][] = [];
    for (const email of emails) {
      const { id } = await auth.recoverPassword(testApp.ctx, email, client);
      await testApp.database.query(`update mail_codes set created_at = created_at - interval '2 minutes'`);
      const { end, statements } = await watch((ctx) => auth.resendRecovery(ctx, id, client));
      expect(end).toBe('answered');
      seen.push(statements);
    }
    expect(seen[1]).toEqual(seen[0]);
  });

  test('although no mail is sent', async () => {
    await testApp.database.query('delete from graphile_worker._private_jobs');
    await auth.recoverPassword(testApp.ctx, nobody(), client);
    const jobs = await testApp.database.query<{ task: string }>(
      'select task_identifier as task from graphile_worker.jobs',
    );
    expect(jobs).toEqual([{ task: 'mail.none' }]);
  });
});

/** @module-tag thorough */
import { exportUsers } from '@cellhop/contract/staff/users';
import { once } from 'node:events';
import http from 'node:http';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { downloadLimits } from '../../http/in-progress.ts';

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  // A user's share of the connections lets a third request in during two exports.
  testApp = await startTestApp({ databasePoolSize: 20 });
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  // More than the buffers of the sockets hold.
  await testApp.database.query(
    `with opened as (insert into accounts (kind) select 'USER' from generate_series(1, 60000) returning id)
     insert into users (email, password_hash, language_code, role_name, referral_code, account_id)
     select repeat('x', 200) || id || '@example.com', 'x', 'en', 'USER', 'BATCH' || id, id from opened`,
  );
});
afterAll(() => testApp.stop());

/** A client that reads nothing after the head of the response. */
async function openUnread(): Promise<http.IncomingMessage> {
  const request = http.get(`${testApp.url}${exportUsers.url}`, { headers: admin.headers, agent: false });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  response.on('error', () => {});
  return response;
}

test('unread exports are few, hold no connection to the database, and end after a while', async () => {
  const { timeoutMs = Infinity, perUserMax } = downloadLimits;
  expect(timeoutMs).toBeLessThanOrEqual(10 * 60_000);
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  const unread: http.IncomingMessage[] = [];
  for (let count = 0; count < perUserMax; count += 1) unread.push(await openUnread());
  expect((await openUnread()).statusCode).toBe(429);
  await expect.poll(() => testApp.ctx.poolUsage().used).toBe(0);
  expect(testApp.app.downloads.count).toBe(perUserMax);

  const timeouts = timers.mock.calls.filter(([, delayMs]) => delayMs === timeoutMs);
  expect(timeouts).toHaveLength(perUserMax);
  for (const [onTimeout] of timeouts) onTimeout();
  await expect.poll(() => testApp.app.downloads.count).toBe(0);
  for (const response of unread) {
    response.resume();
    await expect.poll(() => response.closed).toBe(true);
    expect(response.complete).toBe(false);
  }
  const again = await openUnread();
  expect(again.statusCode).toBe(200);
  again.destroy();
});

test('an export ends in the middle when its reader is blocked', async () => {
  const response = await openUnread();
  expect(response.statusCode).toBe(200);
  await testApp.database.query(`update users set status = 'BLOCKED' where id = $1`, [admin.id]);
  onTestFinished(async () => {
    await testApp.database.query(`update users set status = 'ACTIVE' where id = $1`, [admin.id]);
  });
  response.resume();
  await expect.poll(() => response.closed).toBe(true);
  expect(response.complete).toBe(false);
});

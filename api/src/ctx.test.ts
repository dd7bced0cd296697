import { Client } from 'pg';
import { expect, inject, test } from 'vitest';
import { cloneDatabase } from '../../tools/test-database.mjs';
import { createCtx } from './ctx.ts';
import { openDatabase } from './db/db.ts';
import { CHANNEL, STAFF } from './live/changes.ts';
import { loadConfig } from './process/config.ts';
import { createLog } from './process/log.ts';

test('what has changed is announced before the database closes, and nothing uses the database afterwards', async () => {
  const clone = await cloneDatabase(inject('postgresUrl'));
  const listener = new Client(clone.url);
  await listener.connect();
  await listener.query(`listen ${CHANNEL}`);
  const received: (string | undefined)[] = [];
  listener.on('notification', ({ payload }) => received.push(payload));
  const logged: string[] = [];
  const database = openDatabase(clone.url, 2);
  const log = createLog('test', 'warn', false, { write: (line) => void logged.push(line) });
  const [SECRET_KEY, GATEWAY_TOKEN] = ['s'.repeat(32), 't'.repeat(16)];
  const ctx = createCtx(database, loadConfig({ DATABASE_URL: clone.url, SECRET_KEY, GATEWAY_TOKEN }), log);
  ctx.changed(STAFF, 'staff-catalogue');
  await expect.poll(() => received).toEqual(['staff-catalogue staff-catalogue']);
  // Waits for the next second.
  ctx.changed(STAFF, 'staff-catalogue');
  // Is about to be sent.
  ctx.changed({ userId: 'u' }, 'notifications');
  await database.close();
  ctx.changed({ userId: 'v' }, 'notifications');
  await expect.poll(() => received).toHaveLength(3);
  expect(new Set(received.slice(1))).toEqual(new Set(['notifications u', 'staff-catalogue staff-catalogue']));
  await new Promise((resolve) => setTimeout(resolve));
  expect(logged).toEqual([]);
  await listener.end();
  await clone.drop();
});

import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest';
import { Network } from '../../../faults/network.ts';
import { cloneDatabase } from '../../../tools/test-database.mjs';
import { openDatabase, type Database } from '../db/db.ts';
import { createLog } from '../process/log.ts';
import { CHANNEL } from './changes.ts';
import { startListener } from './listener.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;
beforeAll(async () => {
  clone = await cloneDatabase(inject('postgresUrl'));
  database = openDatabase(clone.url, 2);
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

let network: Network;
let received: string[];
let timesListening: number;
let stop: () => Promise<void>;
beforeEach(async () => {
  const url = new URL(clone.url);
  const port = Number(url.port);
  network = new Network(() => port);
  url.port = String(await network.listen());
  received = [];
  timesListening = 0;
  stop = startListener(
    { databaseUrl: url.href, log: createLog('test', 'silent', false), timeLimitMs: 2000, probeEveryMs: 100 },
    { onPayload: (payload) => received.push(payload), onListening: () => (timesListening += 1) },
  );
  await vi.waitUntil(() => timesListening === 1);
});
afterEach(async () => {
  await stop();
  network.close();
});

test.each(['cut', 'one-way', 'blackholed'] as const)(
  'a connection whose network is %s is replaced, and later notifications arrive',
  async (state) => {
    await network.set(state);
    await network.set('open');
    await expect.poll(() => timesListening).toBeGreaterThan(1);
    await database.query('select pg_notify($1, $2)', [CHANNEL, state]);
    await expect.poll(() => received).toEqual([state]);
  },
);

test('events during a network delay arrive after it', async () => {
  await network.set('silent');
  await database.query('select pg_notify($1, $2)', [CHANNEL, 'late']);
  await network.set('open');
  await expect.poll(() => received).toEqual(['late']);
});

test('it can be stopped while the network is silent', async () => {
  await network.set('blackholed');
  await expect(stop()).resolves.toBeUndefined();
});

test('reconnects leak no abort listeners', async () => {
  const warnings: string[] = [];
  const note = (warning: Error) => warnings.push(warning.message);
  process.on('warning', note);
  for (let times = 2; times <= 13; times += 1) {
    network.reset();
    await expect.poll(() => timesListening).toBe(times);
  }
  process.off('warning', note);
  expect(warnings.filter((message) => message.includes('abort listeners'))).toEqual([]);
});

import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { Db } from '../db.ts';
import { createLog } from '../log.ts';
import { collectChanges, decode, encode, type Topic } from './changes.ts';

test('a batch of any size is split into payloads within the limit, without loss', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.oneof(fc.uuid(), fc.bigInt(1000n, 10n ** 12n).map(String)), { maxLength: 2000 }),
      fc.constantFrom<Topic>('balance', 'connections', 'session'),
      (owners, topic) => {
        const payloads = encode(new Map([[topic, new Set(owners)]]));
        for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8000);
        expect(payloads.flatMap((payload) => decode(payload)!.owners)).toEqual(owners);
        expect(new Set(payloads.map((payload) => decode(payload)!.topic)).size).toBe(1);
      },
    ),
    { numRuns: 30 },
  );
});

test.each(['', 'weather 1', '{"balance":[1]}'])('an unknown payload is ignored: %s', (payload) => {
  expect(decode(payload)).toBeUndefined();
});

test('concurrent events are batched, each owner once', async () => {
  const sent: string[][] = [];
  const changes = collectChanges(
    databaseThat((payloads) => void sent.push(payloads)),
    createLog('test', 'silent', false),
  );
  changes.add({ accountId: 1000n }, 'balance');
  await expect.poll(() => sent).toEqual([['balance 1000']]);
  for (let time = 0; time < 100; time++) changes.add({ accountId: 1000n }, 'balance');
  changes.add({ accountId: 1001n }, 'balance');
  changes.add({ userId: 'u' }, 'invoices');
  await expect.poll(() => sent[1]).toEqual(['balance 1000 1001', 'invoices u', 'staff-invoices staff-invoices']);
  expect(sent).toHaveLength(2);
});

test('an ending does not wait for the next batch, and flushes pending events', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const sent: string[][] = [];
    const changes = collectChanges(
      databaseThat((payloads) => void sent.push(payloads)),
      createLog('test', 'silent', false),
    );
    vi.advanceTimersByTime(1000);
    changes.add({ accountId: 1000n }, 'balance');
    vi.advanceTimersByTime(0);
    changes.add({ accountId: 1001n }, 'balance');
    vi.advanceTimersByTime(20);
    changes.add({ connectionId: 'c' }, 'ending');
    changes.add({ accountId: 1002n }, 'balance');
    vi.advanceTimersByTime(29);
    expect(sent).toEqual([['balance 1000']]);
    vi.advanceTimersByTime(1);
    expect(sent[1]).toEqual(['balance 1001 1002', 'ending c']);
    vi.advanceTimersByTime(1000);
    expect(sent).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});

test('only events during a database outage are lost', async () => {
  let isAway = true;
  const sent: string[][] = [];
  const database = databaseThat((payloads) => {
    sent.push(payloads);
    if (isAway) throw new Error('away');
  });
  const changes = collectChanges(database, createLog('test', 'silent', false));
  changes.add({ userId: 'u' }, 'balance');
  await expect.poll(() => sent).toEqual([['balance u']]);
  isAway = false;
  changes.add({ userId: 'v' }, 'balance');
  await expect.poll(() => sent[1]).toEqual(['balance v']);
});

function databaseThat(take: (payloads: string[]) => void): Db {
  return { query: async (_, values) => (take(values![1] as string[]), []) };
}

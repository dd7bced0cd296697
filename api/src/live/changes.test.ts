import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { Db } from '../db/db.ts';
import { createLog } from '../process/log.ts';
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
  changes.add({ accountId: 1000n }, 'notifications');
  await expect.poll(() => sent).toEqual([['notifications 1000']]);
  for (let time = 0; time < 100; time++) changes.add({ accountId: 1000n }, 'notifications');
  changes.add({ accountId: 1001n }, 'notifications');
  changes.add({ userId: 'u' }, 'session');
  await expect.poll(() => sent[1]).toEqual(['notifications 1000 1001', 'session u']);
  expect(sent).toHaveLength(2);
});

test('changes of all users reach staff at most once a second', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const sent: string[][] = [];
    const changes = collectChanges(
      databaseThat((payloads) => void sent.push(payloads)),
      createLog('test', 'silent', false),
    );
    // Twenty a second, for ten seconds.
    for (let time = 0; time < 200; time++) {
      changes.add({ accountId: 1000n + BigInt(time) }, 'balance');
      changes.add({ userId: 'u' }, 'connections');
      vi.advanceTimersByTime(50);
    }
    vi.advanceTimersByTime(1000);
    const forStaff = sent.filter(([payload]) => payload?.startsWith('staff-'));
    expect(forStaff.length).toBeGreaterThan(9);
    expect(forStaff.length).toBeLessThan(13);
    expect(new Set(forStaff.flat())).toEqual(
      new Set(['staff-transactions', 'staff-users', 'staff-connections'].map((topic) => `${topic} ${topic}`)),
    );
    expect(
      sent
        .flat()
        .filter((payload) => payload.startsWith('balance'))
        .join(' '),
    ).toContain(' 1199');
  } finally {
    vi.useRealTimers();
  }
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
    changes.add({ accountId: 1000n }, 'notifications');
    vi.advanceTimersByTime(0);
    changes.add({ accountId: 1001n }, 'notifications');
    vi.advanceTimersByTime(20);
    changes.add({ connectionId: 'c' }, 'ending');
    changes.add({ accountId: 1002n }, 'notifications');
    vi.advanceTimersByTime(29);
    expect(sent).toEqual([['notifications 1000']]);
    vi.advanceTimersByTime(1);
    expect(sent[1]).toEqual(['notifications 1001 1002', 'ending c']);
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
  changes.add({ userId: 'u' }, 'notifications');
  await expect.poll(() => sent).toEqual([['notifications u']]);
  isAway = false;
  changes.add({ userId: 'v' }, 'notifications');
  await expect.poll(() => sent[1]).toEqual(['notifications v']);
});

function databaseThat(take: (payloads: string[]) => void): Db {
  return { query: async (_, values) => (take(values![1] as string[]), []) };
}

import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LongPolls, type RunChanges } from './long-polls.ts';

function setUp() {
  const polls = new LongPolls();
  const responses: string[] = [];
  const wait = (name: string, nodeId: string) => {
    const record = ({ ended = new Map<string, string>() }: RunChanges) =>
      responses.push(`${name}: ${[...ended].flat().join()}`);
    void polls.wait(name, nodeId).then(record);
  };
  return { polls, responses, wait };
}

describe('long polls', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  test('end after the time limit', async () => {
    const { polls, responses, wait } = setUp();
    wait('run', 'node');
    vi.advanceTimersByTime(24_999);
    expect(polls.size).toBe(1);
    vi.advanceTimersByTime(1);
    expect(polls.size).toBe(0);
    vi.advanceTimersByTime(60_000);
    await Promise.resolve();
    expect(responses).toEqual(['run: ']);
  });

  test('are limited to four per node and one per run: the oldest get a response', async () => {
    const { polls, responses, wait } = setUp();
    for (const run of ['one', 'two', 'two', 'three', 'four', 'five']) wait(run, 'node');
    wait('six', 'another node');
    await Promise.resolve();
    expect([polls.size, responses]).toEqual([5, ['two: ', 'one: ']]);
  });

  test('are limited to two thousand: one more gets a response at once', { tags: ['thorough'] }, async () => {
    const { polls, responses, wait } = setUp();
    for (let count = 0; count < 2_000; count += 1) wait(randomUUID(), randomUUID());
    wait('one more', 'node');
    await Promise.resolve();
    expect([polls.size, responses]).toEqual([2_000, ['one more: ']]);
  });

  test('return the changes since the previous response, for a second', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { polls, responses, wait } = setUp();
    wait('run', 'node');
    polls.respond('run', { ended: new Map([['one', 'USER']]) });
    await vi.advanceTimersByTimeAsync(900);
    polls.respond('run', { ended: new Map([['two', 'IDLE']]) });
    polls.respond('run', { ended: new Map([['three', 'CAP']]), areAllowListsChanged: true });
    expect(polls.runIds).toEqual(['run']);
    wait('run', 'node');
    await Promise.resolve();
    expect([polls.size, responses]).toEqual([0, ['run: one,USER', 'run: two,IDLE,three,CAP']]);
    wait('run', 'node');
    await vi.advanceTimersByTimeAsync(25_000);
    await vi.advanceTimersByTimeAsync(1_000);
    polls.respond('run', { ended: new Map([['late', 'USER']]) });
    expect(polls.runIds).toEqual([]);
    wait('run', 'node');
    expect(polls.size).toBe(1);
  });

  test('end when the process stops', async () => {
    const { polls, responses, wait } = setUp();
    wait('run', 'node');
    polls.close();
    wait('late', 'node');
    await Promise.resolve();
    expect([polls.size, responses]).toEqual([0, ['run: ', 'late: ']]);
  });
});

import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { limitConcurrency } from './concurrency-limiter.ts';

/** Work that finishes only when the test says so, in the order in which it started. */
function createWork() {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  return {
    started,
    of: (name: string) => () =>
      new Promise<string>((resolve) => {
        started.push(name);
        ends.push(() => resolve(name));
      }),
    async endOne(): Promise<void> {
      ends.shift()!();
      await nextTick();
    },
  };
}

test('sources are served round-robin, however much work one of them has', async () => {
  const limiter = limitConcurrency({ runningMax: 1, waitingMax: 100, waitingPerSourceMax: 50 });
  const work = createWork();
  const results = ['greedy', 'greedy', 'greedy', 'greedy', 'modest', 'other'].map((name) =>
    limiter.run(work.of(name), [name]),
  );
  for (const _ of results) await work.endOne();
  expect(work.started).toEqual(['greedy', 'greedy', 'modest', 'other', 'greedy', 'greedy']);
  await Promise.all(results);
  expect(limiter.usage()).toEqual({ running: 0, waiting: 0, refused: 0 });
});

test('too much work of one source is refused at once, with a time to retry', async () => {
  const limiter = limitConcurrency({ runningMax: 1, waitingMax: 100, waitingPerSourceMax: 2 });
  const work = createWork();
  const results = Array.from({ length: 3 }, () => limiter.run(work.of('greedy'), ['greedy']));
  await expect(limiter.run(work.of('greedy'), ['greedy'])).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    retryAfterSeconds: 1,
  });
  const modest = limiter.run(work.of('modest'), ['modest']);
  expect(limiter.usage()).toEqual({ running: 1, waiting: 3, refused: 1 });
  for (let end = 0; end < 4; end++) await work.endOne();
  expect(await modest).toBe('modest');
  await Promise.all(results);
});

test('when the queue is full, the source with the most waiting work gives way to one with less, but not to one with as much', async () => {
  const limiter = limitConcurrency({ runningMax: 1, waitingMax: 3 });
  const work = createWork();
  const running = limiter.run(work.of('greedy'), ['greedy']);
  const [first, second, last] = Array.from({ length: 3 }, () => limiter.run(work.of('greedy'), ['greedy']));
  const pushedOut = last!.catch((error: unknown) => error);
  const modest = limiter.run(work.of('modest'), ['modest']);
  expect(await pushedOut).toMatchObject({ code: 'UNAVAILABLE', status: 503, retryAfterSeconds: 1 });
  for (const source of ['greedy', 'modest'])
    await expect(limiter.run(work.of(source), [source])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  for (let end = 0; end < 4; end++) await work.endOne();
  expect(await Promise.all([running, first, second, modest])).toEqual(['greedy', 'greedy', 'greedy', 'modest']);
});

test('failed work hands its slot over', async () => {
  const limiter = limitConcurrency({ runningMax: 1, waitingMax: 3 });
  const failing = limiter.run(() => Promise.reject(new Error('broken')));
  const next = limiter.run(async () => 'next');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('next');
  expect(limiter.usage()).toEqual({ running: 0, waiting: 0, refused: 0 });
});

test('high priority gets every second slot while normal work waits, and all slots when none waits', async () => {
  const limiter = limitConcurrency({ runningMax: 1, waitingMax: 100 });
  const work = createWork();
  const names = ['stranger 1', 'stranger 2', 'stranger 3', 'known 1', 'known 2', 'known 3', 'known 4', 'known 5'];
  const results = names.map((name) => {
    const [priority, source] = name.startsWith('known') ? (['high', 'home'] as const) : (['normal', name] as const);
    return limiter.run(work.of(name), [source], priority);
  });
  for (const _ of results) await work.endOne();
  expect(work.started).toEqual([
    'stranger 1',
    'known 1',
    'stranger 2',
    'known 2',
    'stranger 3',
    'known 3',
    'known 4',
    'known 5',
  ]);
  await Promise.all(results);
});

test('a full queue of one priority refuses no work of the other', async () => {
  const limiter = limitConcurrency({ runningMax: 1, waitingMax: 2 });
  const work = createWork();
  const strangers = ['one', 'two', 'three'].map((name) => limiter.run(work.of(name), [name]));
  await expect(limiter.run(work.of('four'), ['four'])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const known = limiter.run(work.of('known'), ['home'], 'high');
  expect(limiter.usage()).toEqual({ running: 1, waiting: 3, refused: 1 });
  for (let end = 0; end < 4; end++) await work.endOne();
  expect(work.started).toEqual(['one', 'known', 'two', 'three']);
  await Promise.all([...strangers, known]);
});

test('sources within a wider one share its turns, its queue and its room', async () => {
  const limiter = limitConcurrency({ runningMax: 1, waitingMax: 6, waitingPerSourceMax: 4 });
  const work = createWork();
  const run = (name: string, ...source: string[]) => limiter.run(work.of(name), source);
  const results = [run('running', 'wide', 'one'), run('one', 'wide', 'one'), run('one', 'wide', 'one')];
  results.push(run('two', 'wide', 'two'), run('two', 'wide', 'two'), run('other', 'other'));
  // As many as one wide source may have.
  await expect(run('three', 'wide', 'three')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  results.push(run('other', 'other'));
  const evicted = results[2]!.catch((error: unknown) => error);
  results.push(run('third', 'third'));
  expect(await evicted).toMatchObject({ code: 'UNAVAILABLE' });
  for (let end = 0; end < 7; end++) await work.endOne();
  expect(work.started).toEqual(['running', 'one', 'other', 'third', 'two', 'other', 'two']);
  await Promise.allSettled(results);
  expect(limiter.usage()).toEqual({ running: 0, waiting: 0, refused: 2 });
});

test('a source within a wider one has three quarters of its room', async () => {
  const limiter = limitConcurrency({ runningMax: 1, waitingMax: 100, waitingPerSourceMax: 4 });
  const work = createWork();
  const results = Array.from({ length: 4 }, () => limiter.run(work.of('one'), ['wide', 'one']));
  await expect(limiter.run(work.of('one'), ['wide', 'one'])).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  results.push(limiter.run(work.of('two'), ['wide', 'two']));
  for (let end = 0; end < 5; end++) await work.endOne();
  await Promise.all(results);
});

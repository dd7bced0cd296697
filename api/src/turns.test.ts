import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { takeTurns } from './turns.ts';

/** Work that ends when it is told to, in the order in which it began. */
function createWork() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    of: (name: string) => () =>
      new Promise<string>((resolve) => {
        begun.push(name);
        ends.push(() => resolve(name));
      }),
    async endOne(): Promise<void> {
      ends.shift()!();
      await nextTurn();
    },
  };
}

test('origins take turns, however much one of them wants', async () => {
  const turns = takeTurns({ runningMax: 1, waitingMax: 100, waitingOfOneMax: 50 });
  const work = createWork();
  const results = ['greedy', 'greedy', 'greedy', 'greedy', 'modest', 'other'].map((name) =>
    turns.take(work.of(name), name),
  );
  for (const _ of results) await work.endOne();
  expect(work.begun).toEqual(['greedy', 'greedy', 'modest', 'other', 'greedy', 'greedy']);
  await Promise.all(results);
  expect(turns.use()).toEqual({ running: 0, waiting: 0, refused: 0 });
});

test('too much of one origin is refused at once, with the time to come again', async () => {
  const turns = takeTurns({ runningMax: 1, waitingMax: 100, waitingOfOneMax: 2 });
  const work = createWork();
  const results = Array.from({ length: 3 }, () => turns.take(work.of('greedy'), 'greedy'));
  await expect(turns.take(work.of('greedy'), 'greedy')).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    retryAfterSeconds: 1,
  });
  const modest = turns.take(work.of('modest'), 'modest');
  expect(turns.use()).toEqual({ running: 1, waiting: 3, refused: 1 });
  for (let end = 0; end < 4; end++) await work.endOne();
  expect(await modest).toBe('modest');
  await Promise.all(results);
});

test('when the line is full, the origin that waits most gives way to one that waits less, and nobody to one that waits as much', async () => {
  const turns = takeTurns({ runningMax: 1, waitingMax: 3 });
  const work = createWork();
  const running = turns.take(work.of('greedy'), 'greedy');
  const [first, second, last] = Array.from({ length: 3 }, () => turns.take(work.of('greedy'), 'greedy'));
  const pushedOut = last!.catch((error: unknown) => error);
  const modest = turns.take(work.of('modest'), 'modest');
  expect(await pushedOut).toMatchObject({ code: 'UNAVAILABLE', status: 503, retryAfterSeconds: 1 });
  for (const origin of ['greedy', 'modest'])
    await expect(turns.take(work.of(origin), origin)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  for (let end = 0; end < 4; end++) await work.endOne();
  expect(await Promise.all([running, first, second, modest])).toEqual(['greedy', 'greedy', 'greedy', 'modest']);
});

test('work that fails gives its turn on', async () => {
  const turns = takeTurns({ runningMax: 1, waitingMax: 3 });
  const failing = turns.take(() => Promise.reject(new Error('broken')));
  const next = turns.take(async () => 'next');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('next');
  expect(turns.use()).toEqual({ running: 0, waiting: 0, refused: 0 });
});

test('preferred work has every second turn while other work waits, and all of them when none does', async () => {
  const turns = takeTurns({ runningMax: 1, waitingMax: 100 });
  const work = createWork();
  const names = ['stranger 1', 'stranger 2', 'stranger 3', 'known 1', 'known 2', 'known 3', 'known 4', 'known 5'];
  const results = names.map((name) => {
    const [line, origin] = name.startsWith('known') ? (['preferred', 'home'] as const) : (['usual', name] as const);
    return turns.take(work.of(name), origin, line);
  });
  for (const _ of results) await work.endOne();
  expect(work.begun).toEqual([
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

test('a full line refuses nobody of the other', async () => {
  const turns = takeTurns({ runningMax: 1, waitingMax: 2 });
  const work = createWork();
  const strangers = ['one', 'two', 'three'].map((name) => turns.take(work.of(name), name));
  await expect(turns.take(work.of('four'), 'four')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const known = turns.take(work.of('known'), 'home', 'preferred');
  expect(turns.use()).toEqual({ running: 1, waiting: 3, refused: 1 });
  for (let end = 0; end < 4; end++) await work.endOne();
  expect(work.begun).toEqual(['one', 'known', 'two', 'three']);
  await Promise.all([...strangers, known]);
});

import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('as many calls run at once as there are turns; of those that wait the newest is next', async () => {
  const turns = new Turns(2);
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const calls = [0, 1, 2, 3, 4].map((index) =>
    turns.run(60_000, async () => {
      started.push(index);
      await new Promise<void>((fulfil) => (ends[index] = fulfil));
      if (index === 1) throw new Error('failed');
      return index;
    }),
  );
  for (const index of [1, 0, 4, 3, 2]) {
    ends[index]!();
    await calls[index]!.catch(() => undefined);
    await new Promise(setImmediate);
  }
  expect(started).toEqual([0, 1, 4, 3, 2]);
  expect(await Promise.allSettled(calls)).toMatchObject([
    { value: 0 },
    { status: 'rejected', reason: { message: 'failed' } },
    { value: 2 },
    { value: 3 },
    { value: 4 },
  ]);
  expect(await turns.run(0, () => Promise.resolve('free'))).toBe('free');
});

test('a call that does not get its turn in time fails, and takes no turn of another', async () => {
  const turns = new Turns(1);
  const { promise, resolve: end } = Promise.withResolvers<string>();
  const first = turns.run(0, () => promise);
  await expect(turns.run(0, () => Promise.resolve('never'))).rejects.toMatchObject({
    failure: 'control-plane-unavailable',
  });
  const next = turns.run(60_000, () => Promise.resolve('next'));
  end('first');
  expect(await Promise.all([first, next])).toEqual(['first', 'next']);
});

import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { RefusedDestinations } from '../exits/refused-destinations.ts';
import { RefusedList } from './refused-list.ts';

interface Page {
  revision: string;
  entries: string[];
  isLast: boolean;
}

/** @param answers a page for each call, or a failure */
function start(...answers: (Page | 'failure')[]) {
  const asked: (string | undefined)[] = [];
  const refused = new RefusedDestinations();
  let read = 0;
  const list = new RefusedList({
    control: {
      readRefusedPage: (after) => {
        asked.push(after);
        const answer = answers.shift() ?? 'failure';
        return answer === 'failure' ? Promise.reject(new Error('too slow')) : Promise.resolve(answer);
      },
    },
    refused,
    onRead: () => {
      read += 1;
    },
    limits: { helloIntervalMs: 1, helloRetryMs: 1 },
    log: pino({ level: 'silent' }),
  });
  list.start();
  onTestFinished(() => list.stop());
  return { list, refused, asked, readTimes: () => read };
}

it('after a failure it goes on behind the last page, and the list applies when all of it is there', async () => {
  const { list, refused, asked, readTimes } = start(
    'failure',
    { revision: 'a', entries: ['one.test', 'two.test'], isLast: false },
    'failure',
    'failure',
    { revision: 'a', entries: ['zero.test'], isLast: true },
  );
  const sizes = new Set<number>();
  list.compare('a');
  await expect
    .poll(() => {
      sizes.add(refused.size);
      return refused.revision;
    })
    .toBe('a');
  expect(sizes).toEqual(new Set([0, 3]));
  expect(asked).toEqual([undefined, undefined, 'two.test', 'two.test', 'two.test']);
  expect(refused.refusesName('zero.test')).toBe(true);
  expect(readTimes()).toBe(1);
  list.compare('a');
  list.compare(undefined);
  expect(asked).toHaveLength(5);
});

it('a list that changed while it was read has the revision of its first page, so that it is read again', async () => {
  const { list, refused, readTimes } = start(
    { revision: 'a', entries: ['one.test'], isLast: false },
    { revision: 'b', entries: ['two.test'], isLast: true },
    { revision: 'b', entries: ['other.test'], isLast: true },
  );
  list.compare('a');
  await expect.poll(() => refused.revision).toBe('a');
  expect(readTimes()).toBe(1);
  list.compare('b');
  await expect.poll(() => refused.revision).toBe('b');
  expect([refused.size, refused.refusesName('other.test')]).toEqual([1, true]);
});

it('an empty page ends the list, and an empty list takes all away', async () => {
  const { list, refused, asked } = start(
    { revision: 'a', entries: ['one.test'], isLast: true },
    { revision: 'b', entries: [], isLast: false },
  );
  list.compare('a');
  await expect.poll(() => refused.size).toBe(1);
  list.compare('b');
  await expect.poll(() => refused.revision).toBe('b');
  expect([refused.size, asked.length]).toEqual([0, 2]);
});

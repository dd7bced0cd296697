import { describe, expect, test } from 'vitest';
import { toArrival, previousPollAt } from './record-poll.ts';

const at = (time: string) => new Date(`2026-05-01T${time}Z`);
const HOURS = 3_600_000;
/** The clock error of miners, and the slots of validators. */
const MINERS_MS = 2 * HOURS;
const SLOTS_MS = 5000;

describe('a payment in a block of miners', () => {
  test.each([
    [
      'that was not there seconds ago arrived now, though the clock of its block is behind',
      '11:00:00',
      '11:59:50',
      '12:00:00',
    ],
    [
      'that was not there seconds ago arrived now, though the clock of its block is ahead',
      '13:30:00',
      '11:59:50',
      '12:00:00',
    ],
    ['after a day without a worker arrived at the time of its block', '03:00:00', '00:00:00', '03:00:00'],
    ['after minutes without a worker arrived at the time of its block', '11:57:00', '11:55:00', '11:57:00'],
    ['after a day without a worker arrived not before the last look', '03:00:00', '04:00:00', '04:00:00'],
    ['after a day without a worker arrived not in the future', '13:30:00', '00:00:00', '12:00:00'],
  ])('%s', (_title, blockTime, previousTime, expected) => {
    const look = { seenAt: at('12:00:00'), previousAt: at(previousTime), clockErrorMs: MINERS_MS };
    expect(toArrival({ arrivedAt: at(blockTime) }, look)).toEqual({ arrivedAt: at(expected), slackMs: 0 });
  });

  test('that is found while the watcher catches up arrived at the time of its block', () => {
    const look = { seenAt: at('12:00:00'), previousAt: undefined, clockErrorMs: MINERS_MS };
    expect(toArrival({ arrivedAt: at('03:00:00') }, look)).toEqual({ arrivedAt: at('03:00:00'), slackMs: 0 });
  });
});

test('a payment in a block of validators arrived at the time of the block, with some seconds of slack, however often we poll', () => {
  for (const previousAt of [at('11:59:50'), at('00:00:00'), undefined]) {
    const look = { seenAt: at('12:00:00'), previousAt, clockErrorMs: SLOTS_MS };
    expect(toArrival({ arrivedAt: at('11:59:24') }, look)).toEqual({ arrivedAt: at('11:59:24'), slackMs: SLOTS_MS });
  }
});

test('a poll counts only if it reached the head', () => {
  const polledAt = at('12:00:00');
  expect(previousPollAt({ polledAt, headHeight: 7n, scannedHeight: 7n })).toBe(polledAt);
  expect(previousPollAt({ polledAt, headHeight: 7n, scannedHeight: 6n })).toBeUndefined();
  expect(previousPollAt({ polledAt: null, headHeight: null, scannedHeight: null })).toBeUndefined();
});

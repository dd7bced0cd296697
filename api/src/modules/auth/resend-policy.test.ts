import { expect, test } from 'vitest';
import { waitBeforeSending } from './resend-policy.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const free = { waitMs: 0, isLimit: false };

test.each([
  ['the first mail goes at once', [], free],
  ['the first resend waits for a minute', [0], { waitMs: MINUTE, isLimit: false }],
  ['what has passed of the pause counts', [45_000], { waitMs: 15_000, isLimit: false }],
  ['the first resend is allowed after a minute', [MINUTE], free],
  ['the second waits for 2 minutes', [0, MINUTE], { waitMs: 2 * MINUTE, isLimit: false }],
  ['the third waits for 5 minutes', [0, 2 * MINUTE, 3 * MINUTE], { waitMs: 5 * MINUTE, isLimit: false }],
  ['the fourth waits for 15 minutes', [0, 5, 7, 8].map((m) => m * MINUTE), { waitMs: 15 * MINUTE, isLimit: false }],
  ['the fifth waits for an hour', [0, 15, 20, 22, 23].map((m) => m * MINUTE), { waitMs: HOUR, isLimit: false }],
  ['the fifth is allowed after an hour', [60, 75, 80, 82, 83].map((m) => m * MINUTE), free],
  [
    'a sixth waits until the first resend is a day old',
    [0, 60, 75, 80, 82, 83].map((m) => m * MINUTE),
    { waitMs: DAY - 82 * MINUTE, isLimit: true },
  ],
  [
    'the first mail is no resend, though it was sent today',
    [DAY - HOUR, DAY - HOUR, DAY - HOUR, DAY - HOUR, DAY - HOUR],
    free,
  ],
  ['mails of yesterday make no pause', [DAY, DAY, DAY, DAY, DAY, DAY, DAY], free],
  ['after them the pauses begin with the shortest', [0, DAY, DAY, DAY], { waitMs: MINUTE, isLimit: false }],
  ['five a day is the limit of every day', [0, 1, 2, 3, 4, DAY], { waitMs: DAY - 4, isLimit: true }],
] as const)('%s', (_name, agesMs, wait) => {
  expect(waitBeforeSending(agesMs)).toEqual(wait);
});

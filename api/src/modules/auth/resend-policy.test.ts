import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
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

describe('for any sequence of requests', () => {
  /** A simple model of the rule for one address, minute by minute. @returns when each mail was sent, oldest first */
  function oracle(sentMs: readonly number[], nowMs: number): 'SEND' | 'PAUSE' | 'LIMIT' {
    if (sentMs.length === 0) return 'SEND';
    const ofLastDay = sentMs.filter((at) => nowMs - at < DAY);
    // The first mail is not a resend.
    const resends = sentMs.slice(1).filter((at) => nowMs - at < DAY);
    if (resends.length >= 5) return 'LIMIT';
    if (ofLastDay.length === 0) return 'SEND';
    const pause = [1, 2, 5, 15, 60][ofLastDay.length - 1]! * MINUTE;
    return nowMs - sentMs.at(-1)! >= pause ? 'SEND' : 'PAUSE';
  }
  const gaps = fc.array(
    fc.oneof(
      fc.integer({ min: 1, max: 3 * MINUTE }),
      fc.integer({ min: 1, max: 90 * MINUTE }),
      fc.integer({ min: 1, max: 30 * HOUR }),
      fc.constantFrom(MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, DAY, DAY - 1),
    ),
    { minLength: 1, maxLength: 60 },
  );

  test('exactly the allowed mails are sent, and the reported waiting time is correct', () => {
    fc.assert(
      fc.property(gaps, (gapsMs) => {
        const sentMs: number[] = [];
        let nowMs = 0;
        for (const gapMs of gapsMs) {
          nowMs += gapMs;
          const agesMs = sentMs.map((at) => nowMs - at).toReversed();
          // The store returns the newest ten, which must be enough.
          const { waitMs, isLimit } = waitBeforeSending(agesMs.slice(0, 10));
          const decision = waitMs === 0 ? 'SEND' : isLimit ? 'LIMIT' : 'PAUSE';
          expect(decision).toBe(oracle(sentMs, nowMs));
          if (decision === 'SEND') {
            sentMs.push(nowMs);
            continue;
          }
          expect(oracle(sentMs, nowMs + waitMs - 1)).not.toBe('SEND');
          expect(oracle(sentMs, nowMs + waitMs)).toBe('SEND');
        }
      }),
      { numRuns: 500 },
    );
  });

  test('no day has more than six mails, nor two mails less than a minute apart', () => {
    fc.assert(
      fc.property(gaps, (gapsMs) => {
        const sentMs: number[] = [];
        let nowMs = 0;
        for (const gapMs of gapsMs) {
          nowMs += gapMs;
          const agesMs = sentMs.map((at) => nowMs - at).toReversed();
          if (waitBeforeSending(agesMs).waitMs === 0) sentMs.push(nowMs);
        }
        for (const at of sentMs)
          expect(sentMs.filter((other) => other <= at && at - other < DAY).length).toBeLessThanOrEqual(6);
        for (const [index, at] of sentMs.slice(1).entries()) expect(at - sentMs[index]!).toBeGreaterThanOrEqual(MINUTE);
      }),
      { numRuns: 500 },
    );
  });
});

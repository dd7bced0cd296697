import i18next from 'i18next';
import { expect, it } from 'vitest';
import { durationText, roundDurationText } from './duration.ts';

it.each([
  [0, '0 s'],
  [59.4, '59 s'],
  [59.6, '1 min'],
  [89, '1 min'],
  [3599, '1 h 0 min'],
  [7500, '2 h 5 min'],
  [86_399, '1 d 0 h'],
  [187_000, '2 d 4 h'],
])('%d seconds are "%s"', (seconds, text) => {
  expect(durationText(seconds, i18next.getFixedT('en', 'staff'))).toBe(text);
});

it.each([
  [0, '1 min'],
  [3599, '59 min'],
  [11_000, '3 h'],
  [86_400, '1 d'],
])('%d seconds are about "%s"', (seconds, text) => {
  expect(roundDurationText(seconds, i18next.getFixedT('en', 'staff'))).toBe(text);
});

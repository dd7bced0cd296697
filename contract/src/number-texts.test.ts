import { expect, test } from 'vitest';
import { durationText } from './number-texts.ts';

test.each([
  [1, '1 second', '1 секунду'],
  [60, '1 minute', '1 минуту'],
  [90, '90 seconds', '90 секунд'],
  [100, '100 seconds', '100 секунд'],
  [21 * 60, '21 minutes', '21 минуту'],
  [22 * 60, '22 minutes', '22 минуты'],
  [1800, '30 minutes', '30 минут'],
  [3600, '1 hour', '1 час'],
  [5400, '90 minutes', '90 минут'],
  [2 * 3600, '2 hours', '2 часа'],
  [24 * 3600, '24 hours', '24 часа'],
  [1801, '1,801 seconds', '1 801 секунду'],
])('%i s are %s, %s', (seconds, english, russian) => {
  expect(durationText('en', seconds).replaceAll('\u00A0', ' ')).toBe(english);
  expect(durationText('ru', seconds).replaceAll('\u00A0', ' ')).toBe(russian);
});

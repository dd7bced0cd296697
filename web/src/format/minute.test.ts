import { expect, it } from 'vitest';
import { describeMinute, formatMinute, minuteError, parseMinute } from './minute.ts';

it.each([
  '21.11.2026 14:05',
  '21.11.2026, 14:05',
  '21/11/2026 14.05',
  '21112026 1405',
  '211120261405',
  '2026-11-21 14:05',
  '2026-11-21T14:05',
  ' 21.11.2026  14:05 ',
])('the text "%s" is five past two in the afternoon', (text) => {
  expect(parseMinute(text)).toBe('2026-11-21T14:05');
});

it('takes an hour of one digit, and nothing', () => {
  expect(parseMinute('5.1.2026 9:07')).toBe('2026-01-05T09:07');
  expect([parseMinute(''), formatMinute('')]).toEqual(['', '']);
});

it('refuses other texts with a reason', () => {
  for (const text of ['21.11.2026', '21.11.2026 14', '14:05', 'noon', '20.26.11.2 14:05'])
    expect([text, parseMinute(text), minuteError(text)]).toEqual([text, undefined, 'format']);
  for (const text of ['31.02.2026 14:05', '310220261405', '21.11.2026 24:00', '21.11.2026 14:60'])
    expect([text, parseMinute(text), minuteError(text)]).toEqual([text, undefined, 'unknown']);
  expect([minuteError(''), minuteError('21.11.2026 14:05')]).toEqual([undefined, undefined]);
});

it('is written as all other times, and in words', () => {
  expect(formatMinute('2026-11-05T00:07')).toBe('05.11.2026 00:07');
  expect(describeMinute('2026-12-11T14:05', 'en')).toBe('Fri, 11 Dec 2026, 14:05');
});

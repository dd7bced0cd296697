import { describe, expect, it } from 'vitest';
import { dayError, isDay, parseDay, startOfDay, toDay, insertDots, formatDay } from './day.ts';

/** Types a text character by character. */
const type = (text: string) => text.split('').reduce((before, character) => insertDots(before, before + character), '');

describe('days', () => {
  it('are valid only if they exist', () => {
    expect(isDay('2028-02-29')).toBe(true);
    for (const text of ['2026-02-29', '2026-13-01', '21.11.2026', '', undefined]) expect(isDay(text)).toBe(false);
    expect(toDay(new Date(2026, 0, 5))).toBe('2026-01-05');
  });

  it('begin at midnight, as do later days', () => {
    expect(startOfDay('2026-02-28', 1)).toEqual(new Date(2026, 2, 1));
    expect(startOfDay('0050-01-01').getFullYear()).toBe(50);
  });

  it('are parsed day first', () => {
    expect(formatDay('2026-11-05')).toBe('05.11.2026');
    expect(parseDay('05.11.2026')).toBe('2026-11-05');
    expect(parseDay('5.1.2026')).toBe('2026-01-05');
    expect([formatDay(''), parseDay('')]).toEqual(['', '']);
  });

  it('are refused with a reason', () => {
    expect(dayError('21.11.2026')).toBeUndefined();
    expect(dayError('')).toBeUndefined();
    for (const text of ['21', '21.11.', '21.11.26', 'tomorrow']) expect(dayError(text)).toBe('format');
    for (const text of ['31.02.2026', '11.21.2026']) expect(dayError(text)).toBe('unknown');
  });
});

describe('typed text', () => {
  it('gets its dots automatically', () => {
    expect(type('21112026')).toBe('21.11.2026');
    expect(type('21.11.2026')).toBe('21.11.2026');
    expect(type('1.2.2026')).toBe('1.2.2026');
    expect(type('21/11/2026')).toBe('21.11.2026');
    expect(type('21112026999')).toBe('21.11.2026');
  });

  it('can be deleted', () => {
    expect(insertDots('21.', '21')).toBe('21');
    expect(insertDots('21.11.', '21.11')).toBe('21.11');
    expect(insertDots('21', '211')).toBe('21.1');
  });

  it('can be pasted', () => {
    expect(insertDots('', '2026-11-21')).toBe('21.11.2026');
    expect(insertDots('', '21112026')).toBe('21.11.2026');
  });
});

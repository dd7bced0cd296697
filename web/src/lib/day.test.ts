import { describe, expect, it } from 'vitest';
import { dayFault, isDay, readDay, startOfDay, toDay, withDots, writeDay } from './day.ts';

/** Types a text character by character. */
const type = (text: string) => text.split('').reduce((before, character) => withDots(before, before + character), '');

describe('days', () => {
  it('exist', () => {
    expect(isDay('2028-02-29')).toBe(true);
    for (const text of ['2026-02-29', '2026-13-01', '21.11.2026', '', undefined]) expect(isDay(text)).toBe(false);
    expect(toDay(new Date(2026, 0, 5))).toBe('2026-01-05');
  });

  it('begin at midnight, and so do those after them', () => {
    expect(startOfDay('2026-02-28', 1)).toEqual(new Date(2026, 2, 1));
    expect(startOfDay('0050-01-01').getFullYear()).toBe(50);
  });

  it('are read as they are written: the day first', () => {
    expect(writeDay('2026-11-05')).toBe('05.11.2026');
    expect(readDay('05.11.2026')).toBe('2026-11-05');
    expect(readDay('5.1.2026')).toBe('2026-01-05');
    expect([writeDay(''), readDay('')]).toEqual(['', '']);
  });

  it('say what is wrong with them', () => {
    expect(dayFault('21.11.2026')).toBeUndefined();
    expect(dayFault('')).toBeUndefined();
    for (const text of ['21', '21.11.', '21.11.26', 'tomorrow']) expect(dayFault(text)).toBe('format');
    for (const text of ['31.02.2026', '11.21.2026']) expect(dayFault(text)).toBe('unknown');
  });
});

describe('what is typed', () => {
  it('gets its dots by itself', () => {
    expect(type('21112026')).toBe('21.11.2026');
    expect(type('21.11.2026')).toBe('21.11.2026');
    expect(type('1.2.2026')).toBe('1.2.2026');
    expect(type('21/11/2026')).toBe('21.11.2026');
    expect(type('21112026999')).toBe('21.11.2026');
  });

  it('can be taken back', () => {
    expect(withDots('21.', '21')).toBe('21');
    expect(withDots('21.11.', '21.11')).toBe('21.11');
    expect(withDots('21', '211')).toBe('21.1');
  });

  it('may be pasted', () => {
    expect(withDots('', '2026-11-21')).toBe('21.11.2026');
    expect(withDots('', '21112026')).toBe('21.11.2026');
  });
});

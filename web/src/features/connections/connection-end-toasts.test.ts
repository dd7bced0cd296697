import { describe, expect, it } from 'vitest';
import { findEnded } from './connection-end-toasts.ts';

const works = (id: string) => ({ id, ip: id, status: 'WORK', endReason: null }) as const;
const ended = (id: string, endReason: 'USER' | 'NO_MONEY') =>
  ({ id, ip: id, status: endReason === 'USER' ? 'DISCONNECT_USER' : 'NO_MONEY', endReason }) as const;
const endedIds = (...lists: Parameters<typeof findEnded>) => findEnded(...lists).map(({ id }) => id);

describe('findEnded', () => {
  it('returns those that ended, and not those that still work', () => {
    expect(endedIds([works('a'), works('b')], [ended('a', 'NO_MONEY'), works('b')])).toEqual(['a']);
  });

  it('ignores those that the user disconnected, here or in another tab', () => {
    expect(endedIds([works('a')], [ended('a', 'USER')])).toEqual([]);
  });

  it('returns those that began and ended between two responses', () => {
    expect(endedIds([], [ended('a', 'NO_MONEY')])).toEqual(['a']);
    expect(endedIds([works('a')], [ended('b', 'NO_MONEY'), works('a')])).toEqual(['b']);
  });

  it('ignores those that had ended before, even on another page', () => {
    expect(endedIds([ended('a', 'NO_MONEY')], [ended('a', 'NO_MONEY')])).toEqual([]);
    expect(endedIds([ended('b', 'USER')], [ended('b', 'USER'), ended('a', 'NO_MONEY')])).toEqual([]);
    // A whole page of newer rows: which of them are new is unknown.
    expect(endedIds([ended('a', 'USER')], [ended('c', 'NO_MONEY')])).toEqual([]);
  });
});

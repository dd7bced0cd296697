import { describe, expect, it } from 'vitest';
import { endedMeanwhile } from './endings.ts';

const works = (id: string) => ({ id, ip: id, status: 'WORK', endReason: null }) as const;
const ended = (id: string, endReason: 'USER' | 'NO_MONEY') =>
  ({ id, ip: id, status: endReason === 'USER' ? 'DISCONNECT_USER' : 'NO_MONEY', endReason }) as const;
const idsOf = (...lists: Parameters<typeof endedMeanwhile>) => endedMeanwhile(...lists).map(({ id }) => id);

describe('endedMeanwhile', () => {
  it('names what was cut off, and not what works on', () => {
    expect(idsOf([works('a'), works('b')], [ended('a', 'NO_MONEY'), works('b')])).toEqual(['a']);
  });

  it('says nothing of what the user has ended himself, here or in another tab', () => {
    expect(idsOf([works('a')], [ended('a', 'USER')])).toEqual([]);
  });

  it('names what began and was cut off between two looks', () => {
    expect(idsOf([], [ended('a', 'NO_MONEY')])).toEqual(['a']);
    expect(idsOf([works('a')], [ended('b', 'NO_MONEY'), works('a')])).toEqual(['b']);
  });

  it('says nothing of what had ended before, also when it was on another page then', () => {
    expect(idsOf([ended('a', 'NO_MONEY')], [ended('a', 'NO_MONEY')])).toEqual([]);
    expect(idsOf([ended('b', 'USER')], [ended('b', 'USER'), ended('a', 'NO_MONEY')])).toEqual([]);
    // A whole page of newer ones has come: which of them are new is not known for sure.
    expect(idsOf([ended('a', 'USER')], [ended('c', 'NO_MONEY')])).toEqual([]);
  });
});

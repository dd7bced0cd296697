import { describe, expect, it } from 'vitest';
import { isEmpty, NO_CHOICE, toQuery } from './choice.ts';

describe('toQuery', () => {
  it('has no filter when nothing is chosen', () => {
    expect(toQuery(NO_CHOICE)).toEqual({});
    expect(isEmpty(NO_CHOICE)).toBe(true);
  });

  it('includes both days, from midnight to midnight in the local time zone', () => {
    const query = toQuery({ kinds: ['REFUND'], from: '2026-02-27', to: '2026-02-28' });
    expect(query).toEqual({
      kind: ['REFUND'],
      from: new Date(2026, 1, 27).toISOString(),
      to: new Date(2026, 2, 1).toISOString(),
    });
  });

  it('accepts early years', () => {
    expect(toQuery({ ...NO_CHOICE, from: '0050-06-15' })).toEqual({ from: expect.stringMatching(/^0050-06-1[456]T/) });
  });
});

import { expect, test } from 'vitest';
import { continueAfter, momentsSearch, toLimitedRange, toTimeOrder } from './continuation.ts';

const MOMENT = '2026-11-21T10:00:00.123Z';

test('a list continues with the rows of the same millisecond, so that none is left out', () => {
  expect(continueAfter(MOMENT, 'NEWEST_FIRST')).toEqual({ since: undefined, until: '2026-11-21T10:00:00.124Z' });
  expect(continueAfter(MOMENT, 'OLDEST_FIRST')).toEqual({ since: MOMENT, until: undefined });
});

test('timestamps narrow the chosen days and never widen them', () => {
  const days = toLimitedRange({ from: '2026-11-20', to: '2026-11-22' });
  expect(toLimitedRange({ from: '2026-11-20', to: '2026-11-22', until: MOMENT })).toEqual({ ...days, to: MOMENT });
  expect(toLimitedRange({ from: '2026-11-20', to: '2026-11-22', since: MOMENT })).toEqual({ ...days, from: MOMENT });
  const outside = { since: '2026-11-01T00:00:00.000Z', until: '2026-12-01T00:00:00.000Z' };
  expect(toLimitedRange({ from: '2026-11-20', to: '2026-11-22', ...outside })).toEqual(days);
  expect(toLimitedRange({ until: MOMENT })).toEqual({ to: MOMENT });
  expect(toLimitedRange({})).toEqual({});
});

test('only valid timestamps are taken from the URL', () => {
  expect(momentsSearch({ since: MOMENT, until: MOMENT })).toEqual({ since: MOMENT, until: MOMENT });
  for (const until of ['2026-11-21', '2026-13-41T10:00:00.000Z', 'yesterday', 5, undefined])
    expect(momentsSearch({ until })).toEqual({ since: undefined, until: undefined });
});

test('lists that are sorted by time can be continued', () => {
  expect(['-createdAt', 'createdAt', 'email'].map(toTimeOrder)).toEqual(['NEWEST_FIRST', 'OLDEST_FIRST', undefined]);
});

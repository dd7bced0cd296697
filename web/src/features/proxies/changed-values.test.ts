import { expect, test } from 'vitest';
import { changedValues } from './changed-values.ts';

test('adds and removes a value', () => {
  expect(changedValues(['DE'], ['DE'], ['DE', 'FR'])).toEqual(['DE', 'FR']);
  expect(changedValues(['DE', 'FR'], ['DE', 'FR'], ['FR'])).toEqual(['FR']);
});

test('keeps a value that was added, and does not restore one that was removed, since the field was rendered', () => {
  expect(changedValues(['DE'], [], ['FR'])).toEqual(['DE', 'FR']);
  expect(changedValues(['FR'], ['DE', 'FR'], ['DE', 'FR', 'US'])).toEqual(['FR', 'US']);
  expect(changedValues(['FR'], ['DE', 'FR'], ['DE'])).toEqual([]);
});

test('a value that is added twice is listed once', () => {
  expect(changedValues(['DE'], [], ['DE'])).toEqual(['DE']);
});

import { expect, it } from 'vitest';
import { isLoadFailure } from './load-failure.ts';

it.each([
  'Failed to fetch dynamically imported module: https://example.com/assets/a.js',
  'error loading dynamically imported module: https://example.com/assets/a.js',
  'Importing a module script failed.',
  'Unable to preload CSS for https://example.com/assets/a.css',
])('knows a part of the app that did not arrive: %s', (message) => {
  expect(isLoadFailure(new TypeError(message))).toBe(true);
});

it('ignores other errors', () => {
  expect(isLoadFailure(new Error('Account not found'))).toBe(false);
  expect(isLoadFailure('Failed to fetch dynamically imported module')).toBe(false);
});

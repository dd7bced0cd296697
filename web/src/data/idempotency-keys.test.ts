import { expect, it } from 'vitest';
import { idempotencyKeys } from './idempotency-keys.ts';

it('returns the same key for the same input and another one for changed input', () => {
  const { keyOf } = idempotencyKeys();
  const first = keyOf({ content: 'Hello' });
  expect(keyOf({ content: 'Hello' })).toBe(first);
  expect(keyOf({ content: 'Hello!' })).not.toBe(first);
  // The same text as before a change is a new action.
  expect(keyOf({ content: 'Hello' })).not.toBe(first);
});

it('returns another key for the same input after `forget`', () => {
  const keys = idempotencyKeys();
  const first = keys.keyOf('Hello');
  keys.forget();
  expect(keys.keyOf('Hello')).not.toBe(first);
});

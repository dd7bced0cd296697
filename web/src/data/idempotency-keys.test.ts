import { expect, it } from 'vitest';
import { idempotencyKeys } from './idempotency-keys.ts';

it('returns the same key for the same input and another one for changed input', () => {
  const { keyFor } = idempotencyKeys();
  const first = keyFor({ content: 'Hello' });
  expect(keyFor({ content: 'Hello' })).toBe(first);
  expect(keyFor({ content: 'Hello!' })).not.toBe(first);
  // The same text as before a change is a new action.
  expect(keyFor({ content: 'Hello' })).not.toBe(first);
});

it('returns another key for the same input after `forget`', () => {
  const keys = idempotencyKeys();
  const first = keys.keyFor('Hello');
  keys.forget();
  expect(keys.keyFor('Hello')).not.toBe(first);
});

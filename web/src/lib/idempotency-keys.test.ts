import { expect, it } from 'vitest';
import { idempotencyKeys } from './idempotency-keys.ts';

it('gives a repeat the same key and a changed text another', () => {
  const { keyOf } = idempotencyKeys();
  const first = keyOf({ content: 'Hello' });
  expect(keyOf({ content: 'Hello' })).toBe(first);
  expect(keyOf({ content: 'Hello!' })).not.toBe(first);
  // A text that comes again later is meant again.
  expect(keyOf({ content: 'Hello' })).not.toBe(first);
});

it('gives the same text another key once the first is forgotten', () => {
  const keys = idempotencyKeys();
  const first = keys.keyOf('Hello');
  keys.forget();
  expect(keys.keyOf('Hello')).not.toBe(first);
});

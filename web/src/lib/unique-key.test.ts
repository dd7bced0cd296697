import { expect, it } from 'vitest';
import { keysByContent } from './unique-key.ts';

it('gives a repeat the same key and a changed text another', () => {
  const keyOf = keysByContent();
  const first = keyOf({ content: 'Hello' });
  expect(keyOf({ content: 'Hello' })).toBe(first);
  expect(keyOf({ content: 'Hello!' })).not.toBe(first);
  // A text that comes again later is meant again.
  expect(keyOf({ content: 'Hello' })).not.toBe(first);
});

import { expect, it } from 'vitest';
import { unreadBadge } from './unread-badge.ts';

it.each([
  [0, undefined],
  [1, '1'],
  [99, '99'],
  [100, '99+'],
  [500, '99+'],
])('%i unread notifications are shown as %s', (count, text) => {
  expect(unreadBadge(count)).toBe(text);
});

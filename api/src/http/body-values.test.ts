import { markNotificationsRead } from '@cellhop/contract/notifications';
import { update } from '@cellhop/contract/gateway';
import { createTicket } from '@cellhop/contract/tickets';
import { expect, test } from 'vitest';
import { exceedsValueCount, valueCountLimitFor } from './body.ts';

test('an endpoint accepts as many values as its schema, plus a hundred', () => {
  expect(valueCountLimitFor(createTicket)).toBe(103);
  expect(valueCountLimitFor(markNotificationsRead)).toBe(602);
  expect(valueCountLimitFor(update)).toBe(Infinity);
});

test.each([
  ['1', 1],
  ['"a, [b] {c}"', 1],
  [String.raw`"a \", \\\", b"`, 1],
  [String.raw`["\\", 1]`, 3],
  ['{"a": 1, "b": [2, 3]}', 5],
  ['[[[[]]]]', 5],
  ['"without an end, [', 1],
])('%s has at most %i values', (json, values) => {
  expect(exceedsValueCount(Buffer.from(json), values)).toBe(false);
  expect(exceedsValueCount(Buffer.from(json), values - 1)).toBe(true);
});

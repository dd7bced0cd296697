import { markNotificationsRead } from '@cellhop/contract/notifications';
import { update } from '@cellhop/contract/gateway';
import { createTicket } from '@cellhop/contract/support';
import { expect, test } from 'vitest';
import { holdsMoreValues, valuesLimitOf } from './body-values.ts';

test('an endpoint takes as many values as its schema, and a hundred for the mistakes that are named', () => {
  expect(valuesLimitOf(createTicket)).toBe(103);
  expect(valuesLimitOf(markNotificationsRead)).toBe(602);
  expect(valuesLimitOf(update)).toBe(Infinity);
});

test.each([
  ['1', 1],
  ['"a, [b] {c}"', 1],
  [String.raw`"a \", \\\", b"`, 1],
  [String.raw`["\\", 1]`, 3],
  ['{"a": 1, "b": [2, 3]}', 5],
  ['[[[[]]]]', 5],
  ['"without an end, [', 1],
])('%s holds at most %i', (json, values) => {
  expect(holdsMoreValues(Buffer.from(json), values)).toBe(false);
  expect(holdsMoreValues(Buffer.from(json), values - 1)).toBe(true);
});

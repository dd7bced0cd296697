import { idSchema } from '@cellhop/contract/schemas';
import { expect, test } from 'vitest';
import { newConnectionId } from './connection-credentials.ts';

test('ids are UUIDs of version 7, sort by time and are unique', () => {
  const ids = Array.from({ length: 1000 }, (_, index) => newConnectionId(1_795_000_000_000 + index));
  expect(ids.toSorted()).toEqual(ids);
  for (const id of ids) {
    expect(idSchema.parse(id)).toBe(id);
    expect(id[14]).toBe('7');
  }
  const atOnce = Array.from({ length: 1000 }, () => newConnectionId(1_795_000_000_000));
  expect(new Set(atOnce).size).toBe(1000);
});

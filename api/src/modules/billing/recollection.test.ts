import { expect, test } from 'vitest';
import { Recollections } from './recollection.ts';

test('of too many, those go that were not settled for longest', () => {
  const recollections = new Recollections(2);
  const first = { payerAccountId: 1n, runId: 'run', usedBytes: 1n };
  const second = { payerAccountId: 2n, runId: 'run', usedBytes: 1n };
  const third = { payerAccountId: 3n, runId: 'run', usedBytes: 1n };
  recollections.set('first', first);
  recollections.set('second', second);
  recollections.set('first', { ...first, usedBytes: 2n });
  recollections.set('third', third);
  expect(recollections.get('first')).toEqual({ ...first, usedBytes: 2n });
  expect(recollections.get('second')).toBeUndefined();
  expect(recollections.get('third')).toEqual(third);
});

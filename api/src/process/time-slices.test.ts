import { setImmediate } from 'node:timers';
import { expect, test } from 'vitest';
import { inSlices, SLICE_MS } from './time-slices.ts';

function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('items in slices let other work run at least once per slice, whoever takes the time', async () => {
  const slices = 5;
  function* items() {
    for (let item = 0; item < slices; item += 1) {
      work(SLICE_MS);
      yield item;
      work(SLICE_MS);
    }
  }
  let turns = 0;
  let isDone = false;
  const countTurn = () => {
    turns += 1;
    if (!isDone) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  const seen: number[] = [];
  for await (const item of inSlices(items())) seen.push(item);
  isDone = true;
  expect(seen).toEqual([0, 1, 2, 3, 4]);
  expect(turns).toBeGreaterThanOrEqual(slices - 1);
});

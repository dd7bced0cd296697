import { ApiError } from '@cellhop/contract/client';
import { describe, expect, it } from 'vitest';
import { deliver } from './delivery.ts';

const items = Array.from({ length: 5_000 }, (_, index) => index);
const refusal = new ApiError(400, 'VALIDATION', 'Request is not valid');

/** Refuses every batch that has one of these. */
function receiver(poison: readonly number[], error: Error = refusal) {
  const sizes: number[] = [];
  const send = (part: readonly number[]) => {
    sizes.push(part.length);
    return part.some((item) => poison.includes(item)) ? Promise.reject(error) : Promise.resolve();
  };
  return { sizes, send };
}

describe('a delivery', () => {
  it('is one call for each 5,000, and one for none', async () => {
    const { sizes, send } = receiver([]);
    await deliver([...items, ...items, 1], 26, send);
    await deliver([], 26, send);
    expect(sizes).toEqual([5_000, 5_000, 1, 0]);
  });

  it.each([[[0]], [[4_999]], [[2_345]], [[17, 4_000]]])('finds %j and takes all others', async (poison) => {
    const { sizes, send } = receiver(poison);
    const { taken, refused, refusalOfAll } = await deliver(items, 26, send);
    expect(refused).toEqual(poison);
    expect(taken.length).toBe(5_000 - poison.length);
    expect(refusalOfAll).toBeUndefined();
    expect(sizes.length).toBeLessThanOrEqual(1 + 2 * 26);
  });

  it.each([400, 413, 422, 500])('takes the answer %d for the fault of one', async (status) => {
    const { send } = receiver([42], new ApiError(status, 'INTERNAL', 'It fails over this one'));
    expect((await deliver(items, 26, send)).refused).toEqual([42]);
  });

  it('ends after a bounded number of calls, and leaves for the next what it has not found', async () => {
    const poison = items.filter((item) => item % 10 === 3);
    const { sizes, send } = receiver(poison);
    const { taken, refused } = await deliver(items, 26, send);
    expect(sizes.length).toBeLessThanOrEqual(1 + 2 * 26);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every((item) => poison.includes(item))).toBe(true);
    expect(taken.some((item) => poison.includes(item))).toBe(false);
  });

  it('blames nobody when nothing at all is taken', async () => {
    const { sizes, send } = receiver(items);
    const { taken, refused, refusalOfAll } = await deliver(items, 26, send);
    expect([taken.length, refused.length, refusalOfAll]).toEqual([0, 5_000, refusal]);
    expect(sizes.length).toBeLessThanOrEqual(1 + 2 * 26);
  });

  it.each([401, 403, 429, 503, 0])('does not ask further when the answer is %d', async (status) => {
    const { sizes, send } = receiver([7], new ApiError(status, 'UNAVAILABLE', 'away'));
    await expect(deliver(items, 26, send)).rejects.toMatchObject({ status });
    expect(sizes).toEqual([5_000]);
  });
});

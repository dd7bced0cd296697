import { ApiError } from '@cellhop/contract/client';
import { describe, expect, it } from 'vitest';
import { sendInBatches } from './delivery.ts';

const items = Array.from({ length: 5_000 }, (_, index) => index);
const refusal = new ApiError(400, 'VALIDATION', 'Request is not valid');

/** Refuses every batch that contains one of these items. */
function receiver(invalid: readonly number[], error: Error = refusal) {
  const sizes: number[] = [];
  const send = (batch: readonly number[]) => {
    sizes.push(batch.length);
    return batch.some((item) => invalid.includes(item)) ? Promise.reject(error) : Promise.resolve();
  };
  return { sizes, send };
}

describe('a delivery', () => {
  it('is one call per 5,000 items, and one for none', async () => {
    const { sizes, send } = receiver([]);
    await sendInBatches([...items, ...items, 1], 26, send);
    await sendInBatches([], 26, send);
    expect(sizes).toEqual([5_000, 5_000, 1, 0]);
  });

  it.each([[[0]], [[4_999]], [[2_345]], [[17, 4_000]]])('finds %j and delivers all others', async (invalid) => {
    const { sizes, send } = receiver(invalid);
    const { accepted, refused, totalRefusal } = await sendInBatches(items, 26, send);
    expect(refused).toEqual(invalid);
    expect(accepted.length).toBe(5_000 - invalid.length);
    expect(totalRefusal).toBeUndefined();
    expect(sizes.length).toBeLessThanOrEqual(1 + 2 * 26);
  });

  it.each([400, 413, 422, 500])('treats status %d as the fault of one item', async (status) => {
    const { send } = receiver([42], new ApiError(status, 'INTERNAL', 'This item crashes the handler'));
    expect((await sendInBatches(items, 26, send)).refused).toEqual([42]);
  });

  it('ends after a bounded number of calls, and leaves the rest to the next delivery', async () => {
    const invalid = items.filter((item) => item % 10 === 3);
    const { sizes, send } = receiver(invalid);
    const { accepted, refused } = await sendInBatches(items, 26, send);
    expect(sizes.length).toBeLessThanOrEqual(1 + 2 * 26);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every((item) => invalid.includes(item))).toBe(true);
    expect(accepted.some((item) => invalid.includes(item))).toBe(false);
  });

  it('reports no single item when every batch is refused', async () => {
    const { sizes, send } = receiver(items);
    const { accepted, refused, totalRefusal } = await sendInBatches(items, 26, send);
    expect([accepted.length, refused.length, totalRefusal]).toEqual([0, 5_000, refusal]);
    expect(sizes.length).toBeLessThanOrEqual(1 + 2 * 26);
  });

  it.each([401, 403, 429, 503, 0])('stops at status %d', async (status) => {
    const { sizes, send } = receiver([7], new ApiError(status, 'UNAVAILABLE', 'unavailable'));
    await expect(sendInBatches(items, 26, send)).rejects.toMatchObject({ status });
    expect(sizes).toEqual([5_000]);
  });
});

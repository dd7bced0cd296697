import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLabelled, toPercent, toScale } from './scale.ts';

describe('toScale', () => {
  it('has round ticks', () => {
    expect(toScale([0, 37]).ticks).toEqual([0, 10, 20, 30, 40]);
    expect(toScale([0.3]).ticks).toEqual([0, 0.1, 0.2, 0.3]);
    expect(toScale([0, 0]).ticks).toEqual([0]);
    expect(toScale([]).ticks).toEqual([0]);
  });

  it('includes negative values', () => {
    expect(toScale([-0.35, 0.4]).ticks).toEqual([-0.4, -0.2, 0, 0.2, 0.4]);
  });

  it('has no ticks that a text with fewer decimals cannot tell apart', () => {
    expect(toScale([0.004], 0.01).ticks).toEqual([0, 0.01]);
    expect(toScale([0.02, 0.03], 0.01).ticks).toEqual([0, 0.01, 0.02, 0.03]);
    expect(toScale([1], 1).ticks).toEqual([0, 1]);
    expect(toScale([37], 1).ticks).toEqual([0, 10, 20, 30, 40]);
  });

  it('contains every value, with few round ticks', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -1e6, max: 1e9, noNaN: true }), { minLength: 1 }), (raw) => {
        const values = raw.map((value) => Math.round(value * 1e6) / 1e6);
        const { min, max, ticks } = toScale(values);
        expect(ticks.length).toBeLessThanOrEqual(7);
        expect(ticks).toContain(0);
        for (const value of values) {
          expect(value).toBeGreaterThanOrEqual(min);
          expect(value).toBeLessThanOrEqual(max);
        }
      }),
    );
  });
});

it('places values from the top', () => {
  const scale = toScale([0, 40]);
  expect([40, 10, 0].map((value) => toPercent(value, scale))).toEqual([0, 75, 100]);
});

const labelled = (count: number) => Array.from({ length: count }, (_, i) => i).filter((i) => isLabelled(i, count, 6));

it('labels few bars, and always the last one', () => {
  expect(labelled(24)).toEqual([3, 7, 11, 15, 19, 23]);
  expect(labelled(5)).toEqual([0, 1, 2, 3, 4]);
});

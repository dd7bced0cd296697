/** The axis of a chart: round ticks, and the position of a value. */

const TARGET_STEPS = 4;

export interface Scale {
  min: number;
  max: number;
  ticks: number[];
}

/**
 * Ticks are multiples of 1, 2 or 5 times a power of ten, and include zero.
 * @param stepMin 1, 2 or 5 times a power of ten; default: the smallest unit of money
 */
export function toScale(values: readonly number[], stepMin = 1e-6): Scale {
  const highest = Math.max(0, ...values);
  const lowest = Math.min(0, ...values);
  if (highest === lowest) return { min: 0, max: 1, ticks: [0] };
  const step = Math.max(stepMin, roundStep((highest - lowest) / TARGET_STEPS));
  const first = Math.floor(lowest / step);
  const last = Math.ceil(highest / step);
  // Each is multiplied, because a running sum of 0.1 accumulates rounding errors.
  const ticks = Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
  return { min: ticks[0]!, max: ticks.at(-1)!, ticks };
}

/** From the top, in percent. */
export function toPercent(value: number, { min, max }: Scale): number {
  return ((max - value) / (max - min)) * 100;
}

/** Whether to show the label at `index`, if at most `maxLabels` of `count` fit. The last one is always shown. */
export function isLabelled(index: number, count: number, maxLabels: number): boolean {
  return (count - 1 - index) % Math.ceil(count / maxLabels) === 0;
}

function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5].find((candidate) => candidate * power >= rough * 0.999_999) ?? 10;
  return factor * power;
}

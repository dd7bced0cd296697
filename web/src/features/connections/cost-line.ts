import type { ConnectionCost } from '@cellhop/contract/receipts';

export interface CostStep {
  /** Epoch milliseconds. */
  time: number;
  /** US dollars, the sum of all charges so far. */
  cost: number;
}

/** The cost after each charge, starting with zero at the purchase. */
export function costSteps({ createdAt, steps }: Pick<ConnectionCost, 'createdAt' | 'steps'>): CostStep[] {
  const paid = steps.map(({ chargedAt, cost }) => ({ time: Date.parse(chargedAt), cost }));
  return [{ time: Date.parse(createdAt), cost: 0 }, ...paid];
}

interface Box {
  width: number;
  height: number;
  /** The cost at the top edge. */
  top: number;
}

/** An SVG path in steps: horizontal until the next charge, then vertical. */
export function costPath(steps: readonly CostStep[], until: number, { width, height, top }: Box): string {
  const from = steps[0]!.time;
  const span = Math.max(1, until - from);
  // The refund is charged a moment after the end.
  const x = (time: number) => round(Math.min(1, (time - from) / span) * width);
  const y = (cost: number) => round(height - (cost / top) * height);
  const [first, ...rest] = steps;
  return [
    `M${x(first!.time)} ${y(first!.cost)}`,
    ...rest.map(({ time, cost }) => `H${x(time)}V${y(cost)}`),
    `H${width}`,
  ].join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

import type { Receipt } from '@cellhop/contract/receipts';
import { toDollars, toMicros } from '@cellhop/contract/units';

/** More than a screen has room for would only make the drawing slow. */
const STEPS_MAX = 240;

export interface CostStep {
  /** Milliseconds since 1970. */
  time: number;
  /** US dollars, of this charge and all before it. */
  cost: number;
}

/** What a connection had cost after each charge; thinned out evenly when there are many, the last one always kept. */
export function costSteps({ createdAt, charges }: Pick<Receipt, 'createdAt' | 'charges'>): CostStep[] {
  let micros = 0n;
  const steps = charges.map(({ chargedAt, amount }) => {
    micros += toMicros(amount);
    return { time: Date.parse(chargedAt), cost: toDollars(micros) };
  });
  const stride = Math.ceil(steps.length / STEPS_MAX);
  const shown = steps.filter((_, index) => (steps.length - 1 - index) % stride === 0);
  return [{ time: Date.parse(createdAt), cost: 0 }, ...shown];
}

interface Box {
  width: number;
  height: number;
  /** The cost at the upper edge. */
  top: number;
}

/** An SVG path in a box: level until the next charge, then up or down. */
export function costPath(steps: readonly CostStep[], until: number, { width, height, top }: Box): string {
  const from = steps[0]!.time;
  const span = Math.max(1, until - from);
  const x = (time: number) => round(((time - from) / span) * width);
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

import type { ConnectionCost } from '@cellhop/contract/receipts';
import { useTranslation } from 'react-i18next';
import { formatDate, formatMoney } from '../../format/format.ts';
import { toScale } from '../../format/scale.ts';
import { Plot } from '../../ui/plot.tsx';
import { Money } from '../../ui/money.tsx';
import classes from './cost-chart.module.css';

const WIDTH = 600;
const HEIGHT = 120;

/** The cost of the connection over time, until its end or now. */
export function CostChart({ cost, startedMegabytes }: { cost: ConnectionCost; startedMegabytes: number }) {
  const { t } = useTranslation('receipt');
  const { createdAt, until, total } = cost;
  const steps = costSteps(cost);
  const scale = toScale(steps.map((step) => step.cost));
  const path = costPath(steps, Date.parse(until), { width: WIDTH, height: HEIGHT, top: scale.max });
  const labels = (
    <div className={classes['ends']}>
      <span>{formatDate(createdAt)}</span>
      <span>{formatDate(until)}</span>
    </div>
  );
  return (
    <figure className={classes['figure']}>
      <figcaption>
        {t('chart')}{' '}
        <strong>
          <Money dollars={total} />
        </strong>{' '}
        {t('started', { count: startedMegabytes })}
      </figcaption>
      <Plot scale={scale} formatTick={formatMoney} labels={labels}>
        {/* Hidden from screen readers: the sum is above and the charges are in the table below. */}
        <svg
          className={classes['chart']}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path className={classes['area']} d={`${path}V${HEIGHT}H0Z`} />
          <path className={classes['line']} d={path} />
        </svg>
      </Plot>
    </figure>
  );
}

interface CostStep {
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

import type { ConnectionCost } from '@cellhop/contract/receipts';
import { useTranslation } from 'react-i18next';
import { formatDate, formatMoney } from '../../format/format.ts';
import { toScale } from '../../format/scale.ts';
import { Plot } from '../../ui/plot.tsx';
import { costPath, costSteps } from './cost-line.ts';
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
        {t('chart')} <strong>{formatMoney(total)}</strong> {t('started', { count: startedMegabytes })}
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

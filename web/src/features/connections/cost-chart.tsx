import type { Receipt } from '@cellhop/contract/receipts';
import { useTranslation } from 'react-i18next';
import { formatDate, formatMoney } from '../../lib/format.ts';
import { costPath, costSteps } from './cost-line.ts';
import classes from './cost-chart.module.css';

const WIDTH = 600;
const HEIGHT = 120;

/** What the connection had cost, from its purchase to its end or to now. */
export function CostChart({ receipt }: { receipt: Receipt }) {
  const { t } = useTranslation('proxyConnection');
  const steps = costSteps(receipt);
  const end = receipt.disconnectAt ?? receipt.issuedAt;
  const path = costPath(steps, Date.parse(end), WIDTH, HEIGHT);
  const highest = Math.max(...steps.map(({ cost }) => cost));
  return (
    <figure className={classes['figure']}>
      <figcaption className={classes['scale']}>
        <span>{t('receipt.chart', { total: formatMoney(receipt.total) })}</span>
        <span>{t('receipt.highest', { highest: formatMoney(highest) })}</span>
      </figcaption>
      {/* Its sentence stands beside it: to a screen reader the drawing says nothing more. */}
      <svg
        className={classes['chart']}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <path className={classes['area']} d={`${path}V${HEIGHT}H0Z`} />
        <path className={classes['line']} d={path} />
      </svg>
      <div className={classes['scale']}>
        <span>{formatDate(receipt.createdAt)}</span>
        <span>{formatDate(end)}</span>
      </div>
    </figure>
  );
}

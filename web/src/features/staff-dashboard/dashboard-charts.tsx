import type { Dashboard } from '@cellhop/contract/staff/dashboard';
import { useTranslation } from 'react-i18next';
import { formatCount, formatMegabytes, formatMoney } from '../../format/format.ts';
import { BarChart } from '../../ui/bar-chart.tsx';
import { type RangeQuery, spokenTime, barLabel } from '../usage/range.ts';
import classes from '../usage/usage-charts.module.css';
import { rowTargets, stepRange, useOpenTarget } from './links.tsx';

const KIB_PER_MEGABYTE = 1024;

interface DashboardChartsProps {
  dashboard: Dashboard;
  query: RangeQuery;
}

export function DashboardCharts({ dashboard, query }: DashboardChartsProps) {
  const { t } = useTranslation(['staffDashboard', 'common']);
  const { steps, revenue, topUps, traffic, signUps } = dashboard;
  const megabytes = (kibibytes: number) => t('common:megabytes', { value: formatMegabytes(kibibytes) });
  const shared = { steps, query };
  const { downloaded, uploaded } = traffic ?? {};
  return (
    <div className={classes['charts']}>
      {revenue && (
        <Chart
          {...shared}
          title={t('revenue')}
          rows="connections"
          emptyText={t('noRevenue')}
          parts={[revenue.values]}
          format={formatMoney}
        />
      )}
      {topUps && (
        <Chart
          {...shared}
          title={t('topUps')}
          rows="invoices"
          emptyText={t('noTopUps')}
          parts={[topUps.values]}
          format={formatMoney}
        />
      )}
      {downloaded && uploaded && (
        <Chart
          {...shared}
          title={t('trafficChart')}
          rows="connections"
          emptyText={t('noTraffic')}
          legend={[t('downloaded'), t('uploaded')]}
          parts={[downloaded.values, uploaded.values]}
          scale={KIB_PER_MEGABYTE}
          format={megabytes}
          formatTick={formatCount}
        />
      )}
      {signUps && (
        <Chart
          {...shared}
          title={t('signUps')}
          rows="users"
          emptyText={t('noSignUps')}
          parts={[signUps.values]}
          format={formatCount}
        />
      )}
    </div>
  );
}

interface ChartProps {
  steps: readonly string[];
  query: RangeQuery;
  title: string;
  /** The list that a bar opens. */
  rows: 'connections' | 'invoices' | 'users';
  emptyText: string;
  /** One series for each part, from the bottom up, with a value for each step. */
  parts: readonly (readonly number[])[];
  /** Names of the parts. */
  legend?: readonly string[];
  /** Values per unit of the axis. */
  scale?: number;
  format: (value: number) => string;
  /** Default: like the values. */
  formatTick?: (value: number) => string;
}

function Chart({
  steps,
  query,
  title,
  rows,
  emptyText,
  parts,
  legend,
  scale = 1,
  format,
  formatTick = format,
}: ChartProps) {
  const open = useOpenTarget();
  const { step } = query;
  return (
    <section className={classes['figure']}>
      <h2>{title}</h2>
      <BarChart
        label={title}
        emptyText={emptyText}
        {...(legend && { legend })}
        formatTick={formatTick}
        onOpen={(index) => open(rowTargets(stepRange(steps, index, query))[rows])}
        bars={steps.map((at, index) => {
          const values = parts.map((part) => part[index] ?? 0);
          const texts = values.map((value, part) => (legend ? `${legend[part]}: ${format(value)}` : format(value)));
          return {
            ...barLabel(at, step),
            text: [spokenTime(at, step), ...texts].join('\n'),
            parts: values.map((value) => value / scale),
          };
        })}
      />
    </section>
  );
}

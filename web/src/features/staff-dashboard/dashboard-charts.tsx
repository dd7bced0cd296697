import type { Dashboard } from '@cellhop/contract/staff/dashboard';
import { useTranslation } from 'react-i18next';
import { formatCount, formatGigabytes } from '../../format/format.ts';
import { formatTotal } from '../../format/money.ts';
import type { RangeQuery } from '../usage/range.ts';
import { StepChart, TrafficChart } from '../usage/usage-charts.tsx';
import classes from '../usage/usage-charts.module.css';
import { rowTargets, stepRange, useOpenTarget } from './links.tsx';

/** Dollars: the axis has whole cents, as the values. */
const CENT = 0.01;

interface DashboardChartsProps {
  dashboard: Dashboard;
  query: RangeQuery;
}

export function DashboardCharts({ dashboard, query }: DashboardChartsProps) {
  const { t } = useTranslation('staffDashboard');
  const { steps, revenue, topUps, traffic, signUps } = dashboard;
  const shared = { steps, step: query.step };
  const open = useOpenTarget();
  /** A bar opens the list of its rows. */
  const opens = (rows: 'connections' | 'invoices' | 'users') => (index: number) =>
    open(rowTargets(stepRange(steps, index, query))[rows]);
  const { downloaded, uploaded } = traffic ?? {};
  return (
    <div className={classes['charts']}>
      {revenue && (
        <StepChart
          {...shared}
          title={t('revenue')}
          onOpen={opens('connections')}
          emptyText={t('noRevenue')}
          sum={formatTotal(revenue.total)}
          parts={[revenue.values]}
          stepMin={CENT}
          format={formatTotal}
        />
      )}
      {topUps && (
        <StepChart
          {...shared}
          title={t('topUps')}
          onOpen={opens('invoices')}
          emptyText={t('noTopUps')}
          sum={formatTotal(topUps.total)}
          parts={[topUps.values]}
          stepMin={CENT}
          format={formatTotal}
        />
      )}
      {downloaded && uploaded && (
        <TrafficChart
          {...shared}
          onOpen={opens('connections')}
          emptyText={t('noTraffic')}
          legend={[t('downloaded'), t('uploaded')]}
          sum={formatGigabytes(downloaded.total + uploaded.total)}
          parts={[downloaded.values, uploaded.values]}
        />
      )}
      {signUps && (
        <StepChart
          {...shared}
          title={t('signUps')}
          onOpen={opens('users')}
          emptyText={t('noSignUps')}
          sum={formatCount(signUps.total)}
          parts={[signUps.values]}
          stepMin={1}
          format={formatCount}
        />
      )}
    </div>
  );
}

import type { Dashboard } from '@cellhop/contract/staff/dashboard';
import { useTranslation } from 'react-i18next';
import { useQuarterHour } from '../../hooks/use-quarter-hour.ts';
import { LoadFailure } from '../../ui/list-state.tsx';
import { RangePicker } from '../usage/range-picker.tsx';
import { type Range, type RangeQuery, toQuery } from '../usage/range.ts';
import { useDashboard } from './api.ts';
import { DashboardCharts } from './dashboard-charts.tsx';
import { CountryTable, CurrencyTable } from './dashboard-tables.tsx';
import classes from './dashboard-page.module.css';
import { Figures } from './figures.tsx';
import { useFigures } from './use-figures.ts';

const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();

interface DashboardPageProps {
  range: Range;
  onRange: (range: Range) => void;
}

export function DashboardPage({ range, onRange }: DashboardPageProps) {
  const { t } = useTranslation('staffDashboard');
  const query = toQuery(range, new Date(useQuarterHour()), timeZone);
  const { response, failure } = useDashboard(query);
  return (
    <div className={classes['page']}>
      <RangePicker range={range} onChange={onRange} />
      {failure !== undefined ? (
        <LoadFailure text={t('failed')} {...failure} />
      ) : response === undefined ? (
        <Figures figures={undefined} />
      ) : (
        <Loaded dashboard={response.data} query={query} />
      )}
    </div>
  );
}

function Loaded({ dashboard, query }: { dashboard: Dashboard; query: RangeQuery }) {
  const { topUps, proxies } = dashboard;
  return (
    <>
      <Figures figures={useFigures(dashboard, query)} />
      <DashboardCharts dashboard={dashboard} query={query} />
      {topUps && <CurrencyTable sums={topUps.byCurrency} query={query} />}
      {proxies && <CountryTable countries={proxies.byCountry} />}
    </>
  );
}

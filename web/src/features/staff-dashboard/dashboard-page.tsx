import type { Dashboard } from '@cellhop/contract/staff/dashboard';
import { useTranslation } from 'react-i18next';
import { browserTimeZone } from '../../format/time-zone.ts';
import { useQuarterHour } from '../../hooks/use-quarter-hour.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { LoadFailure } from '../../ui/list-state.tsx';
import { RangePicker } from '../usage/range-picker.tsx';
import { fromRange, type RangeQuery, toQuery, toRange } from '../usage/range.ts';
import { useDashboard } from './api.ts';
import { AttentionRow } from './attention-row.tsx';
import { DashboardCharts } from './dashboard-charts.tsx';
import { CountryTable, CurrencyTable } from './dashboard-tables.tsx';
import classes from './dashboard-page.module.css';
import { Figures, WaitingFigures } from './figures.tsx';
import { staffDashboardScreen } from './screen.ts';

export function DashboardPage() {
  const [search, change] = useScreenSearch(staffDashboardScreen);
  const range = toRange(search);
  const { t } = useTranslation('staffDashboard');
  const query = toQuery(range, new Date(useQuarterHour()), browserTimeZone());
  const { response, failure } = useDashboard(query);
  return (
    <div className={classes['page']}>
      <AttentionRow />
      <RangePicker range={range} onChange={(chosen) => change(fromRange(chosen))} />
      {failure !== undefined ? (
        <LoadFailure text={t('failed')} {...failure} />
      ) : response === undefined ? (
        <WaitingFigures />
      ) : (
        <Loaded dashboard={response.data} query={query} hasAllCountries={search.countries === 'all'} />
      )}
    </div>
  );
}

interface LoadedProps {
  dashboard: Dashboard;
  query: RangeQuery;
  hasAllCountries: boolean;
}

function Loaded({ dashboard, query, hasAllCountries }: LoadedProps) {
  const { topUps, proxies } = dashboard;
  return (
    <>
      <Figures dashboard={dashboard} query={query} />
      <DashboardCharts dashboard={dashboard} query={query} />
      {topUps && <CurrencyTable sums={topUps.byCurrency} query={query} />}
      {proxies && <CountryTable countries={proxies.byCountry} isWhole={hasAllCountries} />}
    </>
  );
}

import type { Dashboard } from '@cellhop/contract/staff/dashboard';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { formatCount } from '../../format/format.ts';
import { formatTotal } from '../../format/money.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { CountryFlag } from '../../ui/country-flag.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import type { RangeQuery } from '../usage/range.ts';
import classes from './dashboard-page.module.css';
import { invoicesIn, proxiesIn, type ProxyState, rowTargets, NumberLink } from './links.tsx';
import { staffDashboardScreen } from './screen.ts';

type CurrencySum = NonNullable<Dashboard['topUps']>['byCurrency'][number];

interface CurrencyTableProps {
  sums: readonly CurrencySum[];
  query: RangeQuery;
}

export function CurrencyTable({ sums, query }: CurrencyTableProps) {
  const { t } = useTranslation(['staffDashboard', 'payment']);
  const target = ({ currency }: CurrencySum) =>
    currency === null ? rowTargets(query).invoices : invoicesIn(query, currency);
  const columns: Column<CurrencySum>[] = [
    {
      key: 'currency',
      header: t('currency'),
      place: 'heading',
      render: ({ currency }) => (currency === null ? t('otherCurrency') : t(`payment:networks.${currency}`)),
    },
    {
      key: 'amount',
      header: t('amount'),
      place: 'heading',
      isNumeric: true,
      render: (sum) => <NumberLink target={target(sum)}>{formatTotal(sum.amount)}</NumberLink>,
    },
    {
      key: 'count',
      header: t('count'),
      place: 'fact',
      isNumeric: true,
      render: (sum) => <NumberLink target={target(sum)}>{formatCount(sum.count)}</NumberLink>,
    },
  ];
  return (
    <section className={classes['section']}>
      <h2>{t('byCurrency')}</h2>
      {sums.length === 0 ? (
        <EmptyList text={t('noTopUps')} />
      ) : (
        <DataTable
          label={t('byCurrency')}
          columns={columns}
          rows={sums}
          rowKey={({ currency }) => currency ?? 'other'}
          isDense
        />
      )}
    </section>
  );
}

type CountryCount = NonNullable<Dashboard['proxies']>['byCountry'][number];

/** More are shown on request. */
const COUNTRIES_SHOWN = 8;

interface CountryTableProps {
  /** Those with the most proxies first. */
  countries: readonly CountryCount[];
  isWhole: boolean;
}

export function CountryTable({ countries, isWhole }: CountryTableProps) {
  const { t } = useTranslation('staffDashboard');
  const [search] = useScreenSearch(staffDashboardScreen);
  const stateColumn = (state: ProxyState): Column<CountryCount> => ({
    key: state,
    header: t(state),
    place: 'fact',
    isNumeric: true,
    render: (country) => (
      <NumberLink target={proxiesIn(state, country.countryCode)}>{formatCount(country[state])}</NumberLink>
    ),
  });
  const columns: Column<CountryCount>[] = [
    {
      key: 'country',
      header: t('country'),
      place: 'heading',
      render: ({ countryCode }) => <CountryFlag code={countryCode} hasName />,
    },
    stateColumn('free'),
    stateColumn('sold'),
    stateColumn('unhealthy'),
  ];
  return (
    <section className={classes['section']}>
      <h2>{t('byCountry')}</h2>
      {countries.length === 0 ? (
        <EmptyList text={t('noProxies')} />
      ) : (
        <DataTable
          label={t('byCountry')}
          columns={columns}
          rows={isWhole ? countries : countries.slice(0, COUNTRIES_SHOWN)}
          rowKey={({ countryCode }) => countryCode}
          isDense
        />
      )}
      {countries.length > COUNTRIES_SHOWN && (
        <Link
          to="/admin"
          search={{ ...search, countries: isWhole ? undefined : 'all' }}
          resetScroll={false}
          className={classes['more']}
        >
          {isWhole ? t('fewerCountries', { count: COUNTRIES_SHOWN }) : t('allCountries', { count: countries.length })}
        </Link>
      )}
    </section>
  );
}

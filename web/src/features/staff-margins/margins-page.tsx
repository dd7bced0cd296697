import type { Margin, MarginGroup } from '@cellhop/contract/staff/margins';
import { marginGroups } from '@cellhop/contract/staff/margins.values';
import { Box, Select, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { apiQuery, pageQuery } from '../../data/query.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { toList } from '../../data/use-list.ts';
import { formatDecimal, formatGigabytes } from '../../format/format.ts';
import { formatTotal } from '../../format/money.ts';
import { oneOf } from '../../loading/search-values.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { CountryFlag } from '../../ui/country-flag.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { Money } from '../../ui/money.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { ExportButton } from '../staff-parts/export-button.tsx';
import { FilterPanel } from '../staff-parts/filter-panel.tsx';
import { monthName } from '../transactions/month.ts';
import { staffMarginsScreen } from './screen.ts';

type Amounts = Omit<Margin, 'id' | 'node' | 'exit'>;

export function MarginsPage() {
  const { t, i18n } = useTranslation('staffMargins');
  const [search, change] = useScreenSearch(staffMarginsScreen);
  const [thisMonth] = useState(() => new Date().toISOString().slice(0, 'YYYY-MM'.length));
  const { page = 1, month = thisMonth, by = 'exit' } = search;
  const query = { month, by };
  const margins = useApiQuery(
    apiQuery('GET /v1/transactions/admin/margins', { query: { ...query, ...pageQuery(page) } }),
    { keepsPrevious: true },
  );
  const months = useApiQuery(apiQuery('GET /v1/transactions/admin/margins/months', {})).response?.data ?? [];
  const listed = [...new Set([thisMonth, month, ...months])].toSorted().toReversed();
  return (
    <>
      <Text mb="md">{t('text')}</Text>
      <FilterPanel actions={<ExportButton endpoint="GET /v1/transactions/admin/margins/export" query={query} />}>
        <Select
          label={t('month')}
          data={listed.map((value) => ({ value, label: monthName(value, i18n.language) }))}
          value={month}
          allowDeselect={false}
          onChange={(value) => change({ month: value ?? undefined, page: undefined })}
        />
        <Select
          label={t('by')}
          data={marginGroups.map((value) => ({ value, label: t(`groups.${value}`) }))}
          value={by}
          allowDeselect={false}
          onChange={(value) => change({ by: oneOf(value, marginGroups), page: undefined })}
        />
      </FilterPanel>
      <Total amounts={margins.isPrevious ? undefined : margins.response?.total} />
      <PagedList
        list={toList(margins)}
        page={page}
        onPage={(next) => change({ page: next })}
        failureText={t('failed')}
        empty={<EmptyList text={t('empty')} />}
      >
        {(rows) => <MarginsTable rows={rows} by={by} />}
      </PagedList>
    </>
  );
}

function Total({ amounts }: { amounts: Amounts | undefined }) {
  const { t } = useTranslation('staffMargins');
  const facts: Record<'traffic' | 'revenue' | 'cost' | 'margin' | 'percent', ReactNode> = {
    traffic: amounts && formatGigabytes(amounts.trafficUsed),
    revenue: amounts && <Money dollars={amounts.revenue} />,
    cost: amounts && <Cost amounts={amounts} />,
    margin: amounts && <AtMost amounts={amounts} text={formatTotal(amounts.margin)} />,
    percent: amounts && <Percent amounts={amounts} />,
  };
  return (
    <Box component="section" mb="md" aria-label={t('total')}>
      <Facts
        items={(['traffic', 'revenue', 'cost', 'margin', 'percent'] as const).map((key) => ({
          label: t(key),
          value: facts[key] ?? '…',
        }))}
      />
    </Box>
  );
}

function MarginsTable({ rows, by }: { rows: readonly Margin[] | undefined; by: MarginGroup }) {
  const { t } = useTranslation('staffMargins');
  const columns: Column<Margin>[] = [
    {
      key: 'name',
      header: t(`names.${by}`),
      place: 'heading',
      isUnbroken: by === 'exit',
      render: (row) => <Name row={row} by={by} />,
    },
    ...(by === 'exit'
      ? [{ key: 'node', header: t('names.node'), place: 'line' as const, render: ({ node }: Margin) => node }]
      : []),
    {
      key: 'traffic',
      header: t('traffic'),
      place: 'fact',
      isNumeric: true,
      render: ({ trafficUsed }) => formatGigabytes(trafficUsed),
    },
    {
      key: 'revenue',
      header: t('revenue'),
      place: 'fact',
      isNumeric: true,
      render: ({ revenue }) => <Money dollars={revenue} />,
    },
    { key: 'cost', header: t('cost'), place: 'fact', isNumeric: true, render: (row) => <Cost amounts={row} /> },
    {
      key: 'margin',
      header: t('margin'),
      place: 'fact',
      isNumeric: true,
      render: (row) => <AtMost amounts={row} text={formatTotal(row.margin)} />,
    },
    {
      key: 'percent',
      header: t('percent'),
      place: 'fact',
      isNumeric: true,
      render: (row) => <Percent amounts={row} />,
    },
  ];
  return <DataTable label={t('label')} columns={columns} rows={rows} rowKey={({ id }) => id} isDense />;
}

function Name({ row: { id, node, exit }, by }: { row: Margin; by: MarginGroup }) {
  const { t } = useTranslation('staffInventory');
  if (by === 'exit') return exit === '' ? t('ownRoute') : exit;
  if (by === 'country') return <CountryFlag code={id} hasName />;
  return node ?? id;
}

/** Traffic without a cost costs something that nobody has said: the row is no gain of that size. */
function Cost({ amounts: { cost, trafficWithoutCost } }: { amounts: Amounts }) {
  const { t } = useTranslation('staffMargins');
  if (cost === null) return t('noCost');
  if (trafficWithoutCost === 0) return <Money dollars={cost} />;
  return t('partCost', { cost: formatTotal(cost), traffic: formatGigabytes(trafficWithoutCost) });
}

function Percent({ amounts }: { amounts: Amounts }) {
  const { marginPercent } = amounts;
  if (marginPercent === null) return '–';
  return <AtMost amounts={amounts} text={`${formatDecimal(marginPercent.toFixed(1))}%`} />;
}

function AtMost({ amounts: { trafficWithoutCost }, text }: { amounts: Amounts; text: string }) {
  const { t } = useTranslation('staffMargins');
  return trafficWithoutCost > 0 ? t('atMost', { value: text }) : text;
}

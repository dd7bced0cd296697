import type { Usage } from '@cellhop/contract/usage';
import { usageSorts } from '@cellhop/contract/usage.values';
import { Button, Skeleton } from '@mantine/core';
import { IconDownload, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { toDay } from '../../format/day.ts';
import { downloadText } from '../../data/download-text.ts';
import { formatTraffic } from '../../format/format.ts';
import { browserTimeZone } from '../../format/time-zone.ts';
import { useQuarterHour } from '../../hooks/use-quarter-hour.ts';
import { oneOf } from '../../loading/search-values.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { LoadFailure } from '../../ui/list-state.tsx';
import { Money } from '../../ui/money.tsx';
import { useUsage } from './api.ts';
import { fromRange, toQuery, toRange } from './range.ts';
import { RangePicker } from './range-picker.tsx';
import { usageScreen } from './screen.ts';
import { UsageCharts } from './usage-charts.tsx';
import { UsageConnections } from './usage-connections.tsx';
import { toUsageFile } from './usage-csv.ts';
import classes from './usage-page.module.css';

export function UsagePage() {
  const [search, change] = useScreenSearch(usageScreen);
  const { connection: connectionId, sort } = search;
  const range = toRange(search);
  const choose = (id: string | undefined) => change({ connection: id }, { resetScroll: false });
  const { t, i18n } = useTranslation(['usage', 'proxyConnection', 'common']);
  const query = toQuery(range, new Date(useQuarterHour()), browserTimeZone());
  const usage = useUsage(query, { connectionId, sort });
  const all = useUsage(query, { connectionId: undefined, sort });
  const shown = usage.response?.data;
  const connections = all.response?.data.connections;
  // Without a chosen connection both are the same query.
  const failure = usage.failure ?? all.failure;
  const ip = connections?.find(({ id }) => id === connectionId)?.ip;

  function save({ points }: Usage) {
    const first = toDay(new Date(query.from));
    // The end of the range is exclusive.
    const last = toDay(new Date(Date.parse(query.to) - 1));
    downloadText(`usage-${first}-${last}.csv`, toUsageFile(points, t, i18n.language));
  }

  return (
    <div className={classes['page']}>
      <div className={classes['bar']}>
        <RangePicker range={range} onChange={(chosen) => change(fromRange(chosen))} />
        <Button
          variant="default"
          leftSection={<IconDownload size={18} stroke={1.6} aria-hidden="true" />}
          disabled={shown === undefined}
          onClick={() => shown && save(shown)}
        >
          {t('csv')}
        </Button>
      </div>
      {connectionId !== undefined && (
        <Button
          className={classes['only'] ?? ''}
          variant="light"
          size="compact-md"
          rightSection={<IconX size={16} aria-hidden="true" />}
          onClick={() => choose(undefined)}
        >
          {t('only', { ip: ip ?? connectionId })}
        </Button>
      )}
      {failure === undefined ? (
        <>
          <Totals total={shown?.total} />
          <UsageCharts points={shown?.points} step={query.step} />
          <UsageConnections
            connections={connections}
            chosenId={connectionId}
            sort={sort}
            onChoose={choose}
            onSort={(chosen) => change({ sort: oneOf(chosen, usageSorts) }, { resetScroll: false })}
          />
        </>
      ) : (
        <LoadFailure text={t('failed')} {...failure} />
      )}
    </div>
  );
}

function Totals({ total }: { total: Usage['total'] | undefined }) {
  const { t } = useTranslation(['usage', 'proxyConnection', 'common']);
  const items = [
    { label: t('spent'), value: total && <Money dollars={total.spent} /> },
    { label: t('traffic'), value: total && formatTraffic(total.trafficUsed) },
    { label: t('downloaded'), value: total && formatTraffic(total.trafficUsed - total.uploaded) },
    { label: t('uploaded'), value: total && formatTraffic(total.uploaded) },
  ];
  return (
    <dl className={classes['totals']}>
      {items.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value ?? <Skeleton height={30} width={96} />}</dd>
        </div>
      ))}
    </dl>
  );
}

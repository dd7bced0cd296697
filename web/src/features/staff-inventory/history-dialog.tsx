import { EXIT_HISTORY_DAYS } from '@cellhop/contract/limits';
import type { ExitDay } from '@cellhop/contract/staff/exit-checks';
import type { InventoryProxy } from '@cellhop/contract/staff/inventory';
import { toMegabits } from '@cellhop/contract/units';
import { Button, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatDay } from '../../format/day.ts';
import { formatCount, formatMoment } from '../../format/format.ts';
import { useLastDefined } from '../../hooks/use-last-value.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';
import { useReason } from '../staff-parts/exit-reason.ts';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useExitDays, useResolveThrough } from './api.ts';

interface HistoryDialogProps {
  /** Undefined: closed. */
  proxy: InventoryProxy | undefined;
  onClose: () => void;
}

/** The checks of a proxy's exit, day by day. */
export function HistoryDialog({ proxy: shown, onClose }: HistoryDialogProps) {
  const { t } = useTranslation('staffInventory');
  const proxy = useLastDefined(shown);
  return (
    <Dialog
      isOpen={shown !== undefined}
      title={t('history.title', { ip: proxy?.ip ?? '' })}
      size="lg"
      onClose={onClose}
    >
      {shown !== undefined && (
        <Stack>
          <Capabilities proxy={shown} />
          <NamesButton proxy={shown} onDone={onClose} />
          <History exitId={shown.exit.id} />
        </Stack>
      )}
    </Dialog>
  );
}

function Capabilities({ proxy: { check, exit } }: { proxy: InventoryProxy }) {
  const { t } = useTranslation('staffInventory');
  if (check.capabilities === undefined) return null;
  const { resolver, ...works } = check.capabilities;
  const facts = (['udp', 'ipv6', 'dns'] as const).flatMap((key) =>
    works[key] === null ? [] : `${t(`history.${key}`)}: ${t(works[key] ? 'history.works' : 'history.worksNot')}`,
  );
  if (exit.names != null) facts.push(t(`history.names.${exit.names}`));
  if (resolver !== null) facts.push(t('history.resolver', { resolver }));
  return facts.length === 0 ? null : <Text size="sm">{facts.join(' · ')}</Text>;
}

/** Where DNS does not work through the exit, there is nothing to choose. */
function NamesButton({ proxy: { check, exit }, onDone }: { proxy: InventoryProxy; onDone: () => void }) {
  const { t } = useTranslation('staffInventory');
  const canEdit = usePermission('PROXIES_EDIT');
  const changing = useResolveThrough();
  if (!canEdit || exit.names !== 'node' || check.capabilities?.dns === false) return null;
  const change = async () => {
    if ((await changing.run(exit.id)) !== undefined) onDone();
  };
  return (
    <Button variant="default" loading={changing.isRunning} onClick={() => void change()}>
      {t('history.resolveThrough')}
    </Button>
  );
}

function History({ exitId }: { exitId: string }) {
  const { t } = useTranslation('staffInventory');
  const { response, failure } = useExitDays(exitId);
  const columns: Column<ExitDay>[] = [
    {
      key: 'day',
      header: t('history.day'),
      place: 'heading',
      isUnbroken: true,
      render: ({ day }) => <time dateTime={day}>{formatDay(day)}</time>,
    },
    ...(['checks', 'failed', 'outages'] as const).map((key) => ({
      key,
      header: t(`history.${key}`),
      place: 'fact' as const,
      isNumeric: true,
      render: (row: ExitDay) => formatCount(row[key]),
    })),
    {
      key: 'latency',
      header: t('check.latency'),
      place: 'fact',
      isNumeric: true,
      render: ({ latencyMs }) => (latencyMs === null ? '–' : t('check.milliseconds', { latency: latencyMs })),
    },
    {
      key: 'speed',
      header: t('history.speed'),
      place: 'fact',
      isNumeric: true,
      render: ({ bytesPerSecond }) =>
        bytesPerSecond === null
          ? '–'
          : t('history.megabits', { megabits: Math.round(10 * toMegabits(bytesPerSecond)) / 10 }),
    },
    {
      key: 'failure',
      header: t('history.lastFailure'),
      place: 'fact',
      render: ({ lastFailure }) => (lastFailure === null ? '–' : <Failure {...lastFailure} />),
    },
  ];
  if (failure) return <LoadFailure text={t('history.loadFailed')} {...failure} />;
  return (
    <Stack>
      <Text size="sm">{t('history.text', { days: EXIT_HISTORY_DAYS })}</Text>
      {response?.data.length === 0 ? (
        <Text>{t('check.never')}</Text>
      ) : (
        <DataTable
          label={t('history.action')}
          columns={columns}
          rows={response?.data}
          rowKey={({ day }) => day}
          isDense
        />
      )}
    </Stack>
  );
}

function Failure({ at, reason }: NonNullable<ExitDay['lastFailure']>) {
  return `${formatMoment(at)}, ${useReason(reason)}`;
}

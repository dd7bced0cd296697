import type { InventoryChange } from '@cellhop/contract/staff/inventory';
import { Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatMoment } from '../../format/format.ts';
import { usePermission } from '../staff-parts/use-permission.ts';
import { isUnfinished, useInventoryChanges, useDecideChange } from './api.ts';

const RECENT_MS = 3_600_000;

/**
 * Unfinished and failed bulk changes and imports, and those of the last hour before the page was opened. They continue if the page is
 * closed.
 */
export function InventoryChanges() {
  const { t } = useTranslation('staffInventory');
  const { rows = [] } = useInventoryChanges();
  const [shownSince] = useState(() => Date.now() - RECENT_MS);
  const shown = rows.filter(
    (change) => isUnfinished(change) || change.status === 'FAILED' || Date.parse(change.createdAt) > shownSince,
  );
  if (shown.length === 0) return null;
  return (
    <Paper component="section" aria-label={t('changes.label')} withBorder p="sm" mb="md">
      <Stack gap="xs" aria-live="polite">
        {shown.map((change) => (
          <Change key={change.id} change={change} />
        ))}
      </Stack>
    </Paper>
  );
}

function Change({ change }: { change: InventoryChange }) {
  const { t } = useTranslation('staffInventory');
  const { kind, rowCount, doneCount, createdAt } = change;
  const share = rowCount === 0 ? 0 : (100 * doneCount) / rowCount;
  return (
    <div>
      <Group justify="space-between">
        <Text size="sm">{changeText(t, change)}</Text>
        <Text size="sm" c="dimmed">
          {formatMoment(createdAt)}
        </Text>
      </Group>
      {isUnfinished(change) && <Progress value={share} aria-label={t(`changes.kinds.${kind}`)} mt={4} />}
      {change.status === 'FAILED' && <Decision change={change} />}
    </div>
  );
}

/** The buttons to retry or dismiss a failed change, for staff who may order changes. */
function Decision({ change }: { change: InventoryChange }) {
  const { t } = useTranslation('staffInventory');
  const [retry, dismissal] = [useDecideChange('retry'), useDecideChange('dismiss')];
  if (!usePermission('PROXIES_EDIT')) return null;
  const name = t(`changes.kinds.${change.kind}`);
  return (
    <Group gap="xs" mt={4}>
      <Button
        size="compact-sm"
        aria-label={t('changes.retryOf', { name })}
        loading={retry.isRunning}
        onClick={() => void retry.run(change)}
      >
        {t('changes.retry')}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t('changes.dismissOf', { name })}
        loading={dismissal.isRunning}
        onClick={() => void dismissal.run(change)}
      >
        {t('changes.dismiss')}
      </Button>
    </Group>
  );
}

function changeText(
  t: TFunction<'staffInventory'>,
  { kind, status, failure, rowCount, doneCount, newCount }: InventoryChange,
): string {
  const name = t(`changes.kinds.${kind}`);
  const reason = failure ?? t('changes.workerEnded');
  if (status === 'WAITING')
    return failure === null ? t('changes.waiting', { name }) : t('changes.again', { name, reason });
  if (status === 'FAILED') return t('changes.failed', { name, reason });
  if (status === 'DISMISSED') return t('changes.wasDismissed', { name });
  if (status === 'RUNNING')
    return t('changes.running', { name, done: formatCount(doneCount), all: formatCount(rowCount) });
  if (status === 'REFUSED') return t('changes.refused', { name });
  if (kind === 'IMPORT') {
    const added = newCount ?? 0;
    return t('import.done', { newCount: formatCount(added), changedCount: formatCount(rowCount - added) });
  }
  const texts = { PRICE: 'price.done', RETIRE: 'retire.done', RESTORE: 'restore.done' } as const;
  return t(texts[kind], { count: rowCount, number: formatCount(rowCount) });
}

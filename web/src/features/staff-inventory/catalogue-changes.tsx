import type { CatalogueChange } from '@cellhop/contract/staff/inventory';
import { Group, Paper, Progress, Stack, Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatMoment } from '../../lib/format.ts';
import { isUnfinished, useCatalogueChanges } from './api.ts';

const RECENT_MS = 3_600_000;

/** What is being done to the catalogue, and what was done since an hour before the page was opened. It goes on if the page is closed. */
export function CatalogueChanges() {
  const { t } = useTranslation('staffInventory');
  const { rows = [] } = useCatalogueChanges();
  const [shownSince] = useState(() => Date.now() - RECENT_MS);
  const shown = rows.filter((change) => isUnfinished(change) || Date.parse(change.createdAt) > shownSince);
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

function Change({ change }: { change: CatalogueChange }) {
  const { t } = useTranslation('staffInventory');
  const { kind, rowCount, doneCount, createdAt } = change;
  const share = rowCount === 0 ? 0 : (100 * doneCount) / rowCount;
  return (
    <div>
      <Group justify="space-between">
        <Text size="sm">{textOf(t, change)}</Text>
        <Text size="sm" c="dimmed">
          {formatMoment(createdAt)}
        </Text>
      </Group>
      {isUnfinished(change) && <Progress value={share} aria-label={t(`changes.kinds.${kind}`)} mt={4} />}
    </div>
  );
}

function textOf(
  t: TFunction<'staffInventory'>,
  { kind, status, rowCount, doneCount, newCount }: CatalogueChange,
): string {
  const name = t(`changes.kinds.${kind}`);
  if (status === 'WAITING') return t('changes.waiting', { name });
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

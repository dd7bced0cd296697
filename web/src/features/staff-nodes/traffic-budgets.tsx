import type { GatewayNode } from '@cellhop/contract/staff/nodes';
import type { TrafficBudget, TrafficChange } from '@cellhop/contract/staff/traffic-budgets';
import { Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { callForData } from '../../data/http.ts';
import { apiQuery, pageQuery } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useList } from '../../data/use-list.ts';
import { formatCount, formatTraffic } from '../../format/format.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { BudgetDialog } from '../staff-parts/budget-dialog.tsx';
import type { RowSnapshot } from '../staff-parts/use-row-snapshot.ts';

const KIB_PER_GIGABYTE = 1_048_576;

/** Budgets of nodes and exits, those that are used most first. */
export function TrafficBudgets() {
  const { t } = useTranslation('staffInventory');
  const query = apiQuery(
    'GET /v1/nodes/admin/traffic-budgets',
    { query: pageQuery(1) },
    { topics: ['catalogue', 'staff-catalogue'] },
  );
  const { rows = [], totalPages } = useList(query);
  if (rows.length === 0) return null;
  const columns: Column<TrafficBudget>[] = [
    { key: 'node', header: t('node'), place: 'heading', isUnbroken: true, render: ({ node }) => node },
    {
      key: 'exit',
      header: t('exit'),
      place: 'line',
      render: ({ exit }) => (exit === null ? t('budget.allExits') : exit === '' ? t('ownRoute') : exit),
    },
    {
      key: 'used',
      header: t('budget.used'),
      place: 'fact',
      isNumeric: true,
      render: ({ trafficUsed, gigabytes }) =>
        t('budget.share', {
          used: formatTraffic(trafficUsed),
          gigabytes: formatCount(gigabytes),
          percent: formatCount(Math.floor((trafficUsed / KIB_PER_GIGABYTE / gigabytes) * 100)),
        }),
    },
    {
      key: 'state',
      header: t('state'),
      place: 'heading',
      render: ({ isSpent }) =>
        isSpent ? (
          <StatusBadge tone="warning" text={t('budget.spent')} />
        ) : (
          <StatusBadge tone="good" text={t('budget.left')} />
        ),
    },
  ];
  return (
    <>
      <Title order={2} size="h4" mt="lg" mb="sm">
        {t('budget.label')}
      </Title>
      <DataTable label={t('budget.label')} columns={columns} rows={rows} rowKey={({ id }) => id} isDense />
      {totalPages > 1 && (
        <Text size="sm" mt="xs">
          {t('budget.more')}
        </Text>
      )}
    </>
  );
}

/** How much traffic all exits of a node together shall carry in a month. */
export function NodeBudgetDialog({ snapshot: { row, shown, isOpen, close } }: { snapshot: RowSnapshot<GatewayNode> }) {
  const { t } = useTranslation('staffInventory');
  const changing = useAction({
    call: ({ id, body }: { id: string; body: TrafficChange }) =>
      callForData('PATCH /v1/nodes/admin/{id}/traffic', { params: { id }, body }),
    successText: () => t('budget.saved'),
    changes: ['catalogue'],
  });
  return (
    <BudgetDialog
      isOpen={isOpen}
      title={t('budget.title', { name: shown?.name ?? '' })}
      query={apiQuery('GET /v1/nodes/admin/{id}/traffic', { params: { id: shown?.id ?? '' } })}
      isWorking={changing.isRunning}
      onSave={(body) => row && void changing.run({ id: row.id, body }, { onSuccess: close })}
      onClose={close}
    />
  );
}

import type { DestinationList, RefusedDestination } from '@cellhop/contract/staff/refused-destinations';
import { Button, Group, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatDate } from '../../format/format.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { RowButton, timeColumn } from '../../ui/columns.tsx';
import { CreateButton } from '../../ui/create-button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { destructive } from '../../ui/destructive.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { FilterPanel } from '../staff-parts/filter-panel.tsx';
import { FilterText } from '../staff-parts/filter-text.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useAllow, useDestinationLists, useDestinations, useRemoveList } from './api.ts';
import { ImportListForm, RefuseForm } from './destination-forms.tsx';
import { staffDestinationsScreen } from './screen.ts';

export function DestinationsPage() {
  const { t } = useTranslation('staffDestinations');
  const [{ page = 1, ...filter }, change] = useScreenSearch(staffDestinationsScreen);
  const canEdit = usePermission('PROXIES_EDIT');
  const destinations = useDestinations({ ...filter, page });
  const lists = useDestinationLists().response?.data ?? [];
  const [dialog, setDialog] = useState<'refuse' | 'import'>();
  const chosen = lists.find(({ list }) => list === filter.list);
  return (
    <>
      <Text mb="md">{t('text')}</Text>
      <FilterPanel
        filter={filter}
        onReset={(empty) => change({ ...empty, page: undefined }, { replace: true })}
        actions={
          canEdit && (
            <Group gap="xs">
              <Button variant="default" onClick={() => setDialog('import')}>
                {t('import.open')}
              </Button>
              <CreateButton text={t('refuse.open')} onClick={() => setDialog('refuse')} />
            </Group>
          )
        }
      >
        <FilterText
          label={t('destination')}
          value={filter.search}
          maxLength={300}
          onChange={(search) => change({ search, page: undefined }, { replace: true })}
        />
        <Select
          label={t('list')}
          placeholder={t('lists.any')}
          data={lists.map(({ list, entries }) => ({ value: list, label: `${list} (${formatCount(entries)})` }))}
          value={filter.list ?? null}
          clearable
          clearButtonProps={{ 'aria-label': t('lists.any') }}
          onChange={(list) => change({ list: list ?? undefined, page: undefined }, { replace: true })}
        />
      </FilterPanel>
      {chosen && <ChosenList list={chosen} canEdit={canEdit} onRemoved={() => change({ list: undefined })} />}
      <PagedList
        list={destinations}
        page={page}
        onPage={(next) => change({ page: next })}
        failureText={t('failed')}
        empty={<EmptyList text={t('empty')} />}
      >
        {(rows) => <DestinationsTable rows={rows} canEdit={canEdit} />}
      </PagedList>
      <Dialog isOpen={dialog === 'refuse'} title={t('refuse.title')} size="sm" onClose={() => setDialog(undefined)}>
        {dialog === 'refuse' && <RefuseForm onClose={() => setDialog(undefined)} />}
      </Dialog>
      <Dialog isOpen={dialog === 'import'} title={t('import.title')} size="sm" onClose={() => setDialog(undefined)}>
        {dialog === 'import' && <ImportListForm list={filter.list} onClose={() => setDialog(undefined)} />}
      </Dialog>
    </>
  );
}

function ChosenList({ list, canEdit, onRemoved }: { list: DestinationList; canEdit: boolean; onRemoved: () => void }) {
  const { t } = useTranslation('staffDestinations');
  const removing = useRemoveList();
  return (
    <Group justify="space-between" gap="xs" mb="md">
      <Text size="sm">{t('lists.imported', { list: list.list, date: formatDate(list.importedAt) })}</Text>
      {canEdit && (
        <Button
          {...destructive.opens}
          loading={removing.isRunning}
          onClick={() => void removing.run(list.list, { onSuccess: onRemoved })}
        >
          {t('lists.remove', { list: list.list })}
        </Button>
      )}
    </Group>
  );
}

function DestinationsTable({ rows, canEdit }: { rows: readonly RefusedDestination[] | undefined; canEdit: boolean }) {
  const { t } = useTranslation('staffDestinations');
  const allowing = useAllow();
  const columns: Column<RefusedDestination>[] = [
    { key: 'destination', header: t('destination'), place: 'heading', render: ({ destination }) => destination },
    { key: 'list', header: t('list'), place: 'fact', render: ({ list }) => list ?? t('lists.entered') },
    { key: 'reason', header: t('reason'), place: 'line', render: ({ reason }) => reason },
    { ...timeColumn('createdAt', t('createdAt')), place: 'fact' },
  ];
  if (canEdit)
    columns.push({
      key: 'action',
      header: t('action'),
      place: 'action',
      render: (row) => (
        <RowButton
          text={t('allow.action')}
          label={t('allow.of', { destination: row.destination })}
          onClick={() => void allowing.run(row)}
        />
      ),
    });
  return <DataTable label={t('label')} columns={columns} rows={rows} rowKey={({ id }) => id} isDense />;
}

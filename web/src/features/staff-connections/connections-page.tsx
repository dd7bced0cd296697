import type { StaffConnection } from '@cellhop/contract/staff/connections';
import { connectionSorts } from '@cellhop/contract/staff/lists.values';
import { Button, Group, Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatTraffic } from '../../format/format.ts';
import { maxDecimals } from '../../format/money.ts';
import { oneOf, textParameter } from '../../loading/search-values.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { ColumnMoney, RowButton, timeColumn, countryColumn } from '../../ui/columns.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { DateTimeField } from '../../ui/date-field.tsx';
import { destructive } from '../../ui/destructive.ts';
import { EmptyList } from '../../ui/list-state.tsx';
import { ConnectionStatusBadge } from '../connections/connection-status-badge.tsx';
import { addressParameter } from '../staff-parts/address-parameter.ts';
import { toTimeOrder } from '../staff-parts/continuation.ts';
import { ContinuedList } from '../staff-parts/continued-list.tsx';
import { DayRange, FilterPanel } from '../staff-parts/filter-panel.tsx';
import { FilterText } from '../staff-parts/filter-text.tsx';
import { ExportButton } from '../staff-parts/export-button.tsx';
import { type RowSelection, SelectionBar, useRowSelection } from '../staff-parts/row-selection.tsx';
import { SavedFilters } from '../staff-parts/saved-filters.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useRowSnapshot } from '../staff-parts/use-row-snapshot.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { OfUserNotice } from '../staff-parts/user-tabs.tsx';
import { InfoButton } from '../connections/connections-table.tsx';
import { AbuseReport } from './abuse-report.tsx';
import { toConnectionsQuery, useConnectionsOfUsers } from './api.ts';
import { ConnectionPanel } from './connection-panel.tsx';
import { EndConnectionDialog, EndConnectionsDialog } from './end-connections-dialog.tsx';
import { staffConnectionsScreen, type StaffConnectionsSearch, staffConnectionsSearch, statuses } from './screen.ts';

export function ConnectionsPage() {
  const [search, changeSearch] = useScreenSearch(staffConnectionsScreen);
  const change = (changed: StaffConnectionsSearch) => changeSearch(changed, { resetScroll: false });
  const { t } = useTranslation('staffConnections');
  const connections = useConnectionsOfUsers(search);
  const canEnd = usePermission('CONNECTIONS_EDIT');
  const selection = useRowSelection<StaffConnection>({
    rows: connections.rows,
    keyOf: ({ id }) => id,
    nameOf: ({ ip }) => ip,
    canChoose: ({ status }) => status === 'WORK',
  });
  const endingSeveral = useRowSnapshot<readonly StaffConnection[]>();
  const ending = useRowSnapshot<StaffConnection>();
  return (
    <>
      <OfUserNotice userId={search.userId} current="connections" />
      <ConnectionsFilter search={search} onChange={(filter) => change({ ...filter, page: undefined })} />
      <SavedFilters
        list="connections"
        filter={toFilter(search)}
        onApply={(saved) => changeSearch(staffConnectionsSearch(saved), { resetScroll: false })}
      />
      <ContinuedList
        list={connections}
        page={search.page ?? 1}
        onPage={(page) => change({ page })}
        moments={search}
        onMoments={(moments) => change({ ...moments, page: undefined })}
        order={toTimeOrder(search.sort ?? connectionSorts[0])}
        failureText={t('table.failed')}
        empty={<EmptyList text={t('table.empty')} />}
      >
        {(rows) => (
          <ConnectionsTable
            connections={rows}
            sort={search.sort ?? connectionSorts[0]}
            onSort={(sort) => change({ sort: oneOf(sort, connectionSorts), page: undefined })}
            onShow={(connection) => change({ connection: connection.id })}
            selection={canEnd ? selection : undefined}
            onEnd={canEnd ? ending.open : undefined}
          />
        )}
      </ContinuedList>
      <SelectionBar selection={selection}>
        <Button {...destructive.opens} onClick={() => endingSeveral.open(selection.chosen)}>
          {t('endSelected.action')}
        </Button>
      </SelectionBar>
      <EndConnectionsDialog snapshot={endingSeveral} onEnded={selection.clear} />
      <ConnectionPanel
        id={search.connection}
        onEnd={canEnd ? ending.open : undefined}
        onClose={() => change({ connection: undefined })}
      />
      <EndConnectionDialog snapshot={ending} />
    </>
  );
}

/** What a saved filter keeps. */
function toFilter({ userId, status, node, ip, at, client, from, to }: StaffConnectionsSearch) {
  return { userId, status, node, ip, at, client, from, to };
}

interface ConnectionsFilterProps {
  search: StaffConnectionsSearch;
  onChange: (change: StaffConnectionsSearch) => void;
}

function ConnectionsFilter({ search, onChange }: ConnectionsFilterProps) {
  const { t } = useTranslation(['staffConnections', 'proxyConnection', 'common']);
  const { id, status, node, ip, at, client, from, to } = search;
  return (
    <FilterPanel
      filter={{ id, status, node, ip, at, client, from, to }}
      onReset={onChange}
      actions={
        <Group gap="xs">
          <AbuseReport />
          <ExportButton endpoint="GET /v1/proxies/connections/admin/export" query={toConnectionsQuery(search)} />
        </Group>
      }
    >
      <Select
        label={t('proxyConnection:table.status')}
        placeholder={t('filter.any')}
        data={statuses.map((value) => ({ value, label: t(`statuses.${value}`) }))}
        value={status ?? null}
        clearable
        onChange={(value) => onChange({ status: oneOf(value, statuses) })}
        withScrollArea={false}
      />
      <FilterText
        label={t('common:location.ip')}
        value={ip}
        read={addressParameter}
        invalid={t('filter.addressInvalid')}
        onChange={(address) => onChange({ ip: address, ...(address === undefined && { at: undefined }) })}
      />
      {ip !== undefined && (
        <DateTimeField
          label={t('filter.at')}
          value={at ?? ''}
          onChange={(time) => time !== undefined && onChange({ at: time || undefined })}
        />
      )}
      <FilterText
        label={t('filter.client')}
        value={client}
        read={addressParameter}
        invalid={t('filter.addressInvalid')}
        onChange={(address) => onChange({ client: address })}
      />
      <FilterText
        label={t('filter.node')}
        value={node}
        read={textParameter}
        onChange={(name) => onChange({ node: name })}
      />
      <DayRange days={{ from, to }} onChange={onChange} />
    </FilterPanel>
  );
}

interface ConnectionsTableProps {
  connections: readonly StaffConnection[] | undefined;
  sort: string;
  onSort: (sort: string) => void;
  onShow: (connection: StaffConnection) => void;
  /** Both are undefined if the member of staff may not end connections. */
  onEnd: ((connection: StaffConnection) => void) | undefined;
  selection: RowSelection<StaffConnection> | undefined;
}

function ConnectionsTable({ connections, sort, onSort, onShow, onEnd, selection }: ConnectionsTableProps) {
  const { t } = useTranslation(['staffConnections', 'staff', 'proxyConnection', 'common']);
  const columns: Column<StaffConnection>[] = [
    ...(selection === undefined ? [] : [selection.column]),
    {
      key: 'info',
      header: t('proxyConnection:table.info'),
      place: 'heading',
      render: (connection) => <InfoButton connection={connection} onClick={() => onShow(connection)} />,
    },
    { key: 'user', header: t('staff:user'), place: 'heading', render: ({ user }) => <UserLink user={user} /> },
    { key: 'ip', header: t('common:location.ip'), isUnbroken: true, place: 'heading', render: ({ ip }) => ip },
    { ...countryColumn(t('common:location.country')), place: 'none' },
    {
      key: 'city',
      place: 'line',
      header: t('common:location.city'),
      // The details have the rest, too: a row is one line.
      render: ({ city, zip, connectionType }) => <span title={`${zip}, ${connectionType}`}>{city}</span>,
    },
    ...useBillColumns(connections),
    { ...timeColumn('createdAt', t('proxyConnection:detail.createdAt')), place: 'line', firstOrder: 'descending' },
  ];
  if (onEnd !== undefined)
    columns.push({
      key: 'action',
      header: t('proxyConnection:table.action'),
      place: 'action',
      render: (connection) =>
        connection.status === 'WORK' && (
          <RowButton
            isDestructive
            text={t('proxyConnection:table.disconnect')}
            label={t('proxyConnection:table.disconnectOf', { ip: connection.ip })}
            onClick={() => onEnd(connection)}
          />
        ),
    });
  return (
    <DataTable
      label={t('table.label')}
      columns={columns}
      rows={connections}
      rowKey={({ id }) => id}
      sort={sort}
      onSort={onSort}
      isDense
    />
  );
}

function useBillColumns(connections: readonly StaffConnection[] | undefined): Column<StaffConnection>[] {
  const { t } = useTranslation(['proxyConnection', 'staffConnections', 'common']);
  const decimals = maxDecimals((connections ?? []).map(({ paidFor }) => paidFor));
  return [
    {
      key: 'paidFor',
      place: 'line',
      header: t('table.paidFor'),
      isNumeric: true,
      render: ({ paidFor }) => <ColumnMoney dollars={paidFor} decimals={decimals} />,
    },
    {
      key: 'trafficUsed',
      place: 'line',
      header: t('table.trafficUsed'),
      isNumeric: true,
      render: ({ trafficUsed }) => formatTraffic(trafficUsed),
    },
    {
      key: 'status',
      header: t('table.status'),
      place: 'heading',
      render: ({ status }) => <ConnectionStatusBadge status={status} text={t(`staffConnections:statuses.${status}`)} />,
    },
    {
      key: 'refundStatus',
      place: 'none',
      header: t('table.refundStatus'),
      render: ({ refundStatus }) => t(`refundStatuses.${refundStatus}`),
    },
  ];
}

import type { Connection } from '@cellhop/contract/connections';
import { CONNECTION_SEARCH_LENGTH_MAX } from '@cellhop/contract/limits';
import { Button, Checkbox, TextInput } from '@mantine/core';
import { IconDownload, IconPlugConnectedX, IconSearch } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useEffect, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useListedRow } from '../../data/use-listed-row.ts';
import { lazyPart, useLazyPart } from '../../loading/use-lazy-part.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { destructive } from '../../ui/destructive.ts';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { showToast } from '../../ui/toasts.ts';
import { ActiveConnections, useNewestActive } from './active-connections.tsx';
import { connectionQuery, isLive, useConnections, useDisconnect } from './api.ts';
import { ConnectionDialog } from './connection-dialog.tsx';
import classes from './connections-filter.module.css';
import { ConnectionsTable, type ConnectionsTableProps, focusInfo } from './connections-table.tsx';
import { DisconnectDialog, type RefusedReturn, RefusedReturnDialog } from './disconnect-dialogs.tsx';
import { connectionsScreen, connectionsSearch, type ConnectionsSearch } from './screen.ts';

const disconnectSeveral = lazyPart(
  async () => (await import('./disconnect-several-dialog.tsx')).DisconnectSeveralDialog,
);
const exportDialog = lazyPart(async () => (await import('./export-dialog.tsx')).ExportDialog);

export function ConnectionsPage() {
  const [search, change] = useScreenSearch(connectionsScreen);
  const { t } = useTranslation('proxyConnection');
  const { page = 1, active, search: text, connection: shownId } = search;
  const isFiltered = active === true || text !== undefined;
  const connections = useConnections(page, { active, search: text });
  const show = (id: string | undefined) =>
    change({ connection: id }, { replace: id === undefined, resetScroll: false });
  const shown = useShown(shownId, connections.rows, () => show(undefined));
  const [open, setOpen] = useState<'several' | 'export'>();
  const [DisconnectSeveral, loadSeveral] = useLazyPart(disconnectSeveral);
  const [ExportDialog, loadExport] = useLazyPart(exportDialog);
  const ending = useEnding();

  // The cards are only above the first page of the list without a filter.
  const newest = useNewestActive(connections, page === 1 && !isFiltered);
  const table = {
    endingId: ending.runningId,
    onShow: ({ id }: Connection) => show(id),
    onDisconnect: ending.ask,
  };

  return (
    <>
      <ActiveConnections active={newest} {...table} />
      <ConnectionsFilter
        search={search}
        onSearch={(chosen) => change(connectionsSearch({ ...chosen }), { replace: true })}
        onDisconnectSeveral={
          newest.hasNone
            ? undefined
            : () => {
                loadSeveral();
                setOpen('several');
              }
        }
        onExport={() => {
          loadExport();
          setOpen('export');
        }}
      />
      <PagedList
        list={connections}
        page={page}
        onPage={(chosen) => change({ page: chosen, connection: undefined })}
        failureText={t('table.failed')}
        empty={
          <EmptyList text={t(isFiltered ? 'table.emptyFiltered' : 'table.empty')}>
            {!isFiltered && (
              <Button component={Link} to="/proxies">
                {t('table.toProxies')}
              </Button>
            )}
          </EmptyList>
        }
      >
        {(rows) => <OtherConnections rows={rows} shown={newest.shown} {...table} />}
      </PagedList>
      {ending.dialogs}
      <ConnectionDialog connection={shown} onClose={() => show(undefined)} />
      {DisconnectSeveral !== undefined && (
        <DisconnectSeveral isOpen={open === 'several'} onClose={() => setOpen(undefined)} />
      )}
      {ExportDialog !== undefined && <ExportDialog isOpen={open === 'export'} onClose={() => setOpen(undefined)} />}
    </>
  );
}

interface OtherConnectionsProps extends Omit<ConnectionsTableProps, 'connections'> {
  rows: readonly Connection[] | undefined;
  /** As cards. */
  shown: readonly Connection[];
}

function OtherConnections({ rows, shown, ...table }: OtherConnectionsProps) {
  const others = rows?.filter(({ id }) => !shown.some((active) => active.id === id));
  return others?.length === 0 ? undefined : <ConnectionsTable connections={others} {...table} />;
}

/** Ends a connection after a confirmation; asks a second time if the server refuses the refund. */
function useEnding() {
  const [asked, setAsked] = useState<Connection>();
  const [refused, setRefused] = useState<RefusedReturn>();
  const ending = useDisconnect((refusal) => {
    setAsked(undefined);
    setRefused(refusal);
  });

  async function disconnect(connection: Connection, isRefundWaived: boolean) {
    const ended = await ending.run({ connection, isRefundWaived });
    if (ended === undefined && isRefundWaived) return;
    setAsked(undefined);
    if (ended === undefined) return;
    setRefused(undefined);
    // The button that opened the dialog is gone.
    focusInfo(connection.id);
  }

  return {
    runningId: ending.isRunning ? ending.input?.connection.id : undefined,
    ask: setAsked,
    dialogs: (
      <>
        <DisconnectDialog
          connection={asked}
          isWorking={ending.isRunning}
          onConfirm={(connection) => disconnect(connection, false)}
          onClose={() => setAsked(undefined)}
        />
        <RefusedReturnDialog
          refused={refused}
          isWorking={ending.isRunning}
          onConfirm={(connection) => disconnect(connection, true)}
          onClose={() => setRefused(undefined)}
        />
      </>
    ),
  };
}

/** The connection in the URL: a row of the list, or one of another page. Shows a warning if there is none. */
function useShown(id: string | undefined, rows: readonly Connection[] | undefined, onMissing: () => void) {
  const { t } = useTranslation('proxyConnection');
  const { row, isMissing } = useListedRow({ id, rows, query: connectionQuery(id ?? ''), isBusy: isLive });
  useEffect(() => {
    if (!isMissing) return;
    showToast('warning', t('missing'));
    onMissing();
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isMissing]);
  return row;
}

interface ConnectionsFilterProps {
  search: ConnectionsSearch;
  onSearch: (search: ConnectionsSearch) => void;
  /** Undefined: no connection is open. */
  onDisconnectSeveral: (() => void) | undefined;
  onExport: () => void;
}

function ConnectionsFilter({ search, onSearch, onDisconnectSeveral, onExport }: ConnectionsFilterProps) {
  const { t } = useTranslation('proxyConnection');
  const [text, setText] = useState(search.search ?? '');

  function find(event: FormEvent) {
    event.preventDefault();
    onSearch({ active: search.active, search: text.trim() === '' ? undefined : text.trim() });
  }

  return (
    <search aria-label={t('filter.title')}>
      <form className={classes['filter']} onSubmit={find}>
        <TextInput
          className={classes['text'] ?? ''}
          type="search"
          aria-label={t('filter.search')}
          placeholder={t('filter.search')}
          maxLength={CONNECTION_SEARCH_LENGTH_MAX}
          leftSection={<IconSearch size={17} aria-hidden="true" />}
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            // The clear button of the search field.
            if (currentTarget.value === '') onSearch({ active: search.active });
          }}
        />
        <Checkbox
          label={t('filter.active')}
          checked={search.active === true}
          onChange={({ currentTarget }) =>
            onSearch({ active: currentTarget.checked ? true : undefined, search: search.search })
          }
        />
        <div className={classes['actions']}>
          <Button variant="default" leftSection={<IconDownload size={17} aria-hidden="true" />} onClick={onExport}>
            {t('export.open')}
          </Button>
          {onDisconnectSeveral !== undefined && (
            <Button
              {...destructive.opens}
              leftSection={<IconPlugConnectedX size={17} aria-hidden="true" />}
              onClick={onDisconnectSeveral}
            >
              {t('several.open')}
            </Button>
          )}
        </div>
      </form>
    </search>
  );
}

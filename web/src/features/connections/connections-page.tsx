import type { Connection } from '@cellhop/contract/connections';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { useConnections, useDisconnect } from './api.ts';
import { ConnectionDialog } from './connection-dialog.tsx';
import { ConnectionsTable } from './connections-table.tsx';
import { type RefusedReturn, RefusedReturnDialog } from './refused-return-dialog.tsx';

interface ConnectionsPageProps {
  page: number;
  /** The connection whose details are open. */
  shownId: string | undefined;
  onPage: (page: number) => void;
  onShow: (id: string | undefined) => void;
}

export function ConnectionsPage({ page, shownId, onPage, onShow }: ConnectionsPageProps) {
  const { t } = useTranslation('proxyConnection');
  const connections = useConnections(page);
  const [refused, setRefused] = useState<RefusedReturn>();
  const ending = useDisconnect(setRefused);

  async function disconnect(connection: Connection, isRefundWaived = false) {
    const ended = await ending.run({ connection, isRefundWaived });
    if (ended !== undefined) setRefused(undefined);
  }

  return (
    <>
      <PagedList
        list={connections}
        page={page}
        onPage={onPage}
        failureText={t('table.failed')}
        empty={
          <EmptyList text={t('table.empty')}>
            <Button component={Link} to="/proxies">
              {t('table.toProxies')}
            </Button>
          </EmptyList>
        }
      >
        {(rows) => (
          <ConnectionsTable
            connections={rows}
            endingId={ending.isRunning ? ending.input?.connection.id : undefined}
            onShow={({ id }) => onShow(id)}
            onDisconnect={(connection) => void disconnect(connection)}
          />
        )}
      </PagedList>
      <RefusedReturnDialog
        refused={refused}
        isWorking={ending.isRunning}
        onConfirm={(connection) => disconnect(connection, true)}
        onClose={() => setRefused(undefined)}
      />
      <ConnectionDialog
        connection={connections.rows?.find(({ id }) => id === shownId)}
        onClose={() => onShow(undefined)}
      />
    </>
  );
}

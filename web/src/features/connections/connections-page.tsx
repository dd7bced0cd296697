import type { Connection } from '@cellhop/contract/connections';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { limitMinutesOf, showErrorToast } from '../../lib/error-text.ts';
import { showToast } from '../../lib/toasts.ts';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { isPastLast, Pages, PastLastPage } from '../../ui/pages.tsx';
import { useConnections, useDisconnect } from './api.ts';
import { ConnectionDialog } from './connection-dialog.tsx';
import { ConnectionsTable, passFocusToInfo } from './connections-table.tsx';
import { type RefusedReturn, RefusedReturnDialog } from './refused-return-dialog.tsx';

interface ConnectionsPageProps {
  page: number;
  /** Whose details are open. */
  shownId: string | undefined;
  onPage: (page: number) => void;
  onShow: (id: string | undefined) => void;
}

export function ConnectionsPage({ page, shownId, onPage, onShow }: ConnectionsPageProps) {
  const { t } = useTranslation(['proxyConnection', 'common']);
  const connections = useConnections(page);
  const ending = useDisconnect();
  const [refused, setRefused] = useState<RefusedReturn>();
  const asked = useRef(new Set<string>());
  const totalPages = connections.data?.totalPages ?? 0;
  const rows = connections.isPlaceholderData ? undefined : connections.data?.data;

  async function disconnect(connection: Connection, isRefundWaived = false) {
    const { id, ip } = connection;
    // A second click comes before the button has heard of the first.
    if (asked.current.has(id)) return;
    asked.current.add(id);
    try {
      const { refundStatus } = await ending.mutateAsync({ id, isRefundWaived });
      setRefused(undefined);
      showToast('success', t(refundStatus === 'REFUNDED' ? 'refunded' : 'disconnected', { ip }));
      passFocusToInfo(id);
    } catch (error) {
      const minutes = limitMinutesOf(error);
      if (minutes !== undefined && connection.trafficUsed === 0) setRefused({ connection, minutes });
      else showErrorToast(error);
      void connections.refetch();
    } finally {
      asked.current.delete(id);
    }
  }

  if (connections.isError && rows === undefined)
    return (
      <LoadFailure
        text={t('table.failed')}
        error={connections.error}
        isRetrying={connections.isFetching}
        onRetry={() => void connections.refetch()}
      />
    );
  if (isPastLast({ page, totalPages })) return <PastLastPage page={page} totalPages={totalPages} onChange={onPage} />;
  if (rows?.length === 0)
    return (
      <EmptyList text={t('table.empty')}>
        <Button component={Link} to="/proxies">
          {t('table.toProxies')}
        </Button>
      </EmptyList>
    );
  return (
    <>
      <ConnectionsTable
        connections={rows}
        endingId={ending.isPending ? ending.variables.id : undefined}
        onShow={({ id }) => onShow(id)}
        onDisconnect={(connection) => void disconnect(connection)}
      />
      <Pages page={page} totalPages={totalPages} onChange={onPage} />
      <RefusedReturnDialog
        refused={refused}
        isWorking={ending.isPending}
        onConfirm={(connection) => disconnect(connection, true)}
        onClose={() => setRefused(undefined)}
      />
      <ConnectionDialog connection={rows?.find(({ id }) => id === shownId)} onClose={() => onShow(undefined)} />
    </>
  );
}

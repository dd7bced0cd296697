import type { RefundConnectionBody, StaffConnection } from '@cellhop/contract/staff/connections';
import { useTranslation } from 'react-i18next';
import { callForData } from '../../data/http.ts';
import { apiQuery, pageQuery, staffDependencies } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useList } from '../../data/use-list.ts';
import { toLimitedRange } from '../staff-parts/continuation.ts';
import type { StaffConnectionsSearch } from './screen.ts';

export function useConnectionsOfUsers({ page = 1, from, to, since, until, ...search }: StaffConnectionsSearch) {
  const range = toLimitedRange({ from, to, since, until });
  const query = { ...search, ...pageQuery(page), createdFrom: range.from, createdTo: range.to };
  return useList(apiQuery('GET /v1/proxies/connections/admin', { query }, staffDependencies('staff-connections')));
}

interface End {
  connection: StaffConnection;
  reason: string | undefined;
}

export function useEndConnection() {
  const { t } = useTranslation('staffConnections');
  return useAction({
    call: ({ connection, reason }: End) =>
      callForData('POST /v1/proxies/connections/admin/{id}/disconnect', {
        params: { id: connection.id },
        body: { reason },
      }),
    successText: ({ ip }) => t('end.done', { ip }),
    changes: ['staff-connections', 'staff-transactions'],
  });
}

interface Refund extends RefundConnectionBody {
  connection: StaffConnection;
}

export function useRefund() {
  const { t } = useTranslation('staffConnections');
  return useAction({
    call: ({ connection: { id }, ...body }: Refund, withKey) =>
      callForData('POST /v1/proxies/connections/admin/{id}/refund', { params: { id }, body }, withKey()),
    successText: ({ status }, { connection: { ip } }) =>
      t(status === 'PENDING' ? 'refund.waits' : 'refund.done', { ip }),
    changes: ['staff-connections', 'staff-transactions', 'staff-adjustments'],
  });
}

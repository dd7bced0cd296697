import type { AssignDepositBody, ReleaseDepositBody, SettleInvoiceBody } from '@cellhop/contract/staff/invoices';
import { useTranslation } from 'react-i18next';
import { callForData } from '../../data/http.ts';
import { apiQuery, pageQuery, staffDependencies } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { useList } from '../../data/use-list.ts';
import { toLimitedRange } from '../staff-parts/continuation.ts';
import { useWaiting } from '../staff-parts/approval-hint.tsx';
import type { StaffInvoicesSearch } from './screen.ts';

/** The filter as the API takes it. */
export function toInvoicesQuery(search: StaffInvoicesSearch) {
  const { userId, status, currency, min, max } = search;
  return { userId, status, currency, ...toLimitedRange(search), amountMin: min, amountMax: max };
}

export function useInvoicesOfUsers(search: StaffInvoicesSearch) {
  const query = { ...pageQuery(search.page ?? 1), ...toInvoicesQuery(search), sort: search.sort };
  return useList(apiQuery('GET /v1/payments/admin/invoices', { query }, staffDependencies('staff-invoices')));
}

export function useUnassignedPayments() {
  return useApiQuery(
    apiQuery('GET /v1/payments/admin/unassigned', { query: pageQuery(1) }, staffDependencies('staff-invoices')),
  );
}

export function useSuspendedPayments() {
  return useApiQuery(
    apiQuery('GET /v1/payments/admin/held', { query: pageQuery(1) }, staffDependencies('staff-invoices')),
  );
}

export function useReleaseDeposit(id: string, userId: string) {
  const { t } = useTranslation('staffMoney');
  const waiting = useWaiting('SETTLEMENT', userId);
  return useAction({
    call: (body: ReleaseDepositBody, withKey) =>
      callForData('POST /v1/payments/admin/deposits/{id}/release', { params: { id }, body }, withKey()),
    successText: ({ rate }) => (rate === null ? waiting(t('request.made')) : t('held.done')),
    changes: ['staff-invoices', 'staff-settlements'],
  });
}

export function useAssignDeposit(id: string) {
  const { t } = useTranslation('staffMoney');
  const waiting = useWaiting('SETTLEMENT');
  return useAction({
    call: (body: AssignDepositBody, withKey) =>
      callForData('POST /v1/payments/admin/deposits/{id}/assign', { params: { id }, body }, withKey()),
    successText: ({ status }) => (status === 'PENDING' ? waiting(t('request.made')) : t('held.done')),
    changes: ['staff-invoices', 'staff-settlements'],
  });
}

/** @param id undefined while none is open */
export function useInvoice(id: string | undefined) {
  const query = apiQuery(
    'GET /v1/payments/admin/invoices/{id}',
    { params: { id: id ?? '' } },
    staffDependencies('staff-invoices'),
  );
  return useApiQuery(query, { isEnabled: id !== undefined });
}

export function useSettleInvoice(id: string, userId: string) {
  const { t } = useTranslation('staffMoney');
  const waiting = useWaiting('SETTLEMENT', userId);
  return useAction({
    call: (body: SettleInvoiceBody, withKey) =>
      callForData('POST /v1/payments/admin/invoices/{id}/settle', { params: { id }, body }, withKey()),
    successText: ({ status }) => (status === 'PENDING' ? waiting(t('request.made')) : t('settle.done')),
    changes: ['staff-invoices', 'staff-transactions', 'staff-settlements'],
  });
}

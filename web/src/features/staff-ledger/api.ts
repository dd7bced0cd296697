import type { CreateAdjustmentBody } from '@cellhop/contract/staff/transactions';
import { ApiError } from '@cellhop/contract/client';
import { useTranslation } from 'react-i18next';
import { callForData } from '../../data/http.ts';
import { apiQuery, pageQuery, staffDependencies } from '../../data/query.ts';
import { showToast } from '../../ui/toasts.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { toLimitedRange } from '../staff-parts/continuation.ts';
import type { StaffLedgerSearch } from './screen.ts';

export function useLedger(userId: string, search: StaffLedgerSearch) {
  const { page = 1, kind } = search;
  const query = apiQuery(
    'GET /v1/transactions/admin',
    { query: { userId, ...pageQuery(page), kind, ...toLimitedRange(search) } },
    staffDependencies('staff-transactions'),
  );
  return useApiQuery(query, { keepsPrevious: true });
}

export function useAdjust() {
  const { t } = useTranslation('staffMoney');
  return useAction({
    call: (body: CreateAdjustmentBody, withKey) =>
      callForData('POST /v1/transactions/admin/adjustments', { body }, withKey()),
    successText: ({ status }) => t(status === 'PENDING' ? 'request.made' : 'adjust.done'),
    onError: (error) => {
      // The general text asks customers to top up.
      if (!(error instanceof ApiError) || error.code !== 'SMALL_BALANCE') return undefined;
      showToast('warning', t('adjust.tooMuch'));
      return 'HANDLED';
    },
    changes: ['staff-transactions', 'staff-users', 'staff-adjustments'],
  });
}

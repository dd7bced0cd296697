import { exportTransactions, getReconciliation, listTransactions } from '@cellhop/contract/transactions.plain';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { downloadText } from '../../lib/download-text.ts';
import { call } from '../../lib/http.ts';
import { usePollInterval } from '../../lib/live.ts';
import { profileQuery } from '../../lib/profile.ts';
import { apiQuery, CALM_INTERVAL_MS } from '../../lib/query.ts';
import { spreadsheetTime } from '../../lib/spreadsheet.ts';
import { type Choice, toQuery } from './choice.ts';
import { toStatementFile } from './statement-file.ts';

/** A hundred thousand rows take some seconds. */
const EXPORT_TIMEOUT_MS = 300_000;

export function useTransactions(choice: Choice, page: number) {
  const pollInterval = usePollInterval();
  return useQuery({
    ...apiQuery(listTransactions, { query: { ...toQuery(choice), page } }),
    // Whoever opens the page wants to see what is now.
    staleTime: 0,
    // The number of pages stays in sight while another page loads.
    placeholderData: keepPreviousData,
    refetchInterval: pollInterval(false),
  });
}

export function useExport() {
  const { t, i18n } = useTranslation('transaction');
  return useMutation({
    mutationFn: (choice: Choice) =>
      call(exportTransactions, { query: toQuery(choice) }, { timeoutMs: EXPORT_TIMEOUT_MS }),
    onSuccess: (csv) =>
      downloadText(
        `transactions-${spreadsheetTime(new Date().toISOString()).slice(0, 10)}.csv`,
        toStatementFile(csv, t, i18n.language),
      ),
  });
}

/** Staff who may read transactions are told whether all of them add up; undefined for everybody else. */
export function useReconciliation() {
  const profile = useQuery(profileQuery).data?.data;
  const isStaff = profile?.role.permissions.includes('TRANSACTIONS_READ') === true && profile.secondFactor !== 'DUE';
  const { data } = useQuery({
    ...apiQuery(getReconciliation, {}),
    enabled: isStaff,
    refetchInterval: CALM_INTERVAL_MS,
  });
  return data?.data;
}

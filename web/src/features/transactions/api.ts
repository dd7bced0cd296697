import { useTranslation } from 'react-i18next';
import { downloadText } from '../../data/download-text.ts';
import { call } from '../../data/http.ts';
import { useProfile } from '../../session/profile.ts';
import { apiQuery, pageQuery } from '../../data/query.ts';
import { spreadsheetTime } from '../../format/spreadsheet.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { useList } from '../../data/use-list.ts';
import { type Choice, toQuery } from './choice.ts';
import { monthQuery } from './month.ts';
import { toTransactionsCsv } from './transactions-csv.ts';

/** A hundred thousand rows take some seconds. */
const EXPORT_TIMEOUT_MS = 300_000;

export function useTransactions(choice: Choice, page: number) {
  return useList(
    apiQuery('GET /v1/transactions', { query: { ...toQuery(choice), ...pageQuery(page) } }, { topics: ['balance'] }),
  );
}

export function useExport() {
  const { t, i18n } = useTranslation(['transaction', 'payment']);
  return useAction({
    call: (choice: Choice) =>
      call('GET /v1/transactions/export', { query: toQuery(choice) }, { timeoutMs: EXPORT_TIMEOUT_MS }),
    onSuccess: (csv) =>
      downloadText(
        `transactions-${spreadsheetTime(new Date().toISOString()).slice(0, 10)}.csv`,
        toTransactionsCsv(csv, t, i18n.language),
      ),
  });
}

/** The data of a monthly statement. */
export function useMonth(month: string) {
  const query = monthQuery(month);
  return {
    summary: useApiQuery(apiQuery('GET /v1/transactions/summary', { query }, { topics: ['balance'] })),
    company: useCompany(),
  };
}

/** The data of the receipt of a top-up. */
export function useReceipt(number: number) {
  return {
    receipt: useApiQuery(
      apiQuery('GET /v1/payments/receipts/{number}', { params: { number } }, { topics: ['balance'] }),
    ),
    company: useCompany(),
  };
}

function useCompany() {
  return useApiQuery(apiQuery('GET /v1/profile/company', {}, { topics: ['account'] }));
}

/** Result of the reconciliation, for staff who may read all transactions; undefined for others. */
export function useReconciliation() {
  const profile = useProfile();
  const isStaff = profile?.role.permissions.includes('TRANSACTIONS_READ') === true && profile.secondFactor !== 'DUE';
  return useApiQuery(apiQuery('GET /v1/transactions/admin/reconciliation', {}), { isEnabled: isStaff, isPolled: true })
    .response?.data;
}

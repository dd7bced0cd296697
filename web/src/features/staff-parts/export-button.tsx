import { ApiError } from '@cellhop/contract/client';
import type { EndpointInput } from '@cellhop/contract/endpoints';
import { EXPORT_ROWS_MAX } from '@cellhop/contract/limits';
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { downloadText } from '../../data/download-text.ts';
import { call } from '../../data/http.ts';
import { useAction } from '../../data/use-action.ts';
import { formatCount } from '../../format/format.ts';
import { csvToSpreadsheet } from '../../format/spreadsheet.ts';
import { showToast } from '../../ui/toasts.ts';

const fileNames = {
  'GET /v1/users/admin/export': 'users.csv',
  'GET /v1/payments/admin/invoices/export': 'invoices.csv',
  'GET /v1/proxies/connections/admin/export': 'connections.csv',
  'GET /v1/transactions/admin/margins/export': 'margins.csv',
} as const;
type ExportKey = keyof typeof fileNames;

/** For 100,000 rows. */
const TIMEOUT_MS = 300_000;

interface ExportButtonProps<K extends ExportKey> {
  endpoint: K;
  /** The filter of the list. */
  query: EndpointInput<K>['query'];
}

/** Saves all rows of a filtered list as a CSV file for the user's spreadsheet. The export is recorded in the audit log. */
export function ExportButton<K extends ExportKey>({ endpoint, query }: ExportButtonProps<K>) {
  const { t, i18n } = useTranslation('staff');
  const exporting = useAction({
    call: (): Promise<string> =>
      call<ExportKey>(endpoint, { query } as EndpointInput<ExportKey>, { timeoutMs: TIMEOUT_MS }),
    onSuccess: (text) => downloadText(fileNames[endpoint], csvToSpreadsheet(i18n.language, text)),
    onError: (error) => {
      if (!(error instanceof ApiError) || error.code !== 'VALIDATION') return undefined;
      showToast('warning', t('tools.tooMany', { number: formatCount(EXPORT_ROWS_MAX) }));
      return 'HANDLED';
    },
  });
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={18} stroke={1.6} aria-hidden="true" />}
      loading={exporting.isRunning}
      onClick={() => void exporting.run(undefined)}
    >
      {t('tools.export')}
    </Button>
  );
}

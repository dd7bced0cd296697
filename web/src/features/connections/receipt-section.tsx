import type { Connection } from '@cellhop/contract/connections';
import type { Receipt } from '@cellhop/contract/receipts';
import { Button, Group, Skeleton, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { downloadText } from '../../data/download-text.ts';
import { LoadFailure } from '../../ui/list-state.tsx';
import { Pages } from '../../ui/paged-list.tsx';
import { type ReceiptFileKind, useReceipt, useReceiptFile } from './api.ts';
import { ChargesTable } from './charges-table.tsx';
import { CostChart } from './cost-chart.tsx';
import classes from './receipt-section.module.css';
import { receiptCsv } from './receipt-csv.ts';
import { startedMegabytes } from './refund.ts';

const fileKinds: readonly ReceiptFileKind[] = ['json', 'csv'];

/** The signed receipt of a connection: its charges, and downloads. */
export function ReceiptSection({ connection }: { connection: Connection }) {
  const { t } = useTranslation('receipt');
  const [page, setPage] = useState(1);
  const { charges, cost } = useReceipt(connection, page);
  const failure = charges.failure ?? cost.failure;
  const isLoading = failure === undefined && (charges.response === undefined || cost.response === undefined);
  return (
    <section className={classes['receipt']} aria-busy={isLoading}>
      <h3>{t('title')}</h3>
      {failure !== undefined ? (
        <LoadFailure
          text={t('failed')}
          {...failure}
          onRetry={() => [charges, cost].forEach(({ refetch }) => refetch())}
        />
      ) : charges.response === undefined || cost.response === undefined ? (
        <Skeleton height={220} radius="md" />
      ) : (
        <>
          <CostChart cost={cost.response.data} startedMegabytes={startedMegabytes(connection)} />
          <ChargesTable charges={charges.response.data} />
          <Pages page={page} totalPages={charges.response.totalPages} onChange={setPage} />
          <Downloads connection={connection} />
        </>
      )}
    </section>
  );
}

function Downloads({ connection }: { connection: Connection }) {
  const { t, i18n } = useTranslation('receipt');
  const download = useReceiptFile(connection);
  const name = `receipt-${connection.id}`;
  const files: Record<ReceiptFileKind, (receipt: Receipt) => string> = {
    json: toJson,
    csv: ({ charges }) => receiptCsv(charges, t, i18n.language),
  };

  async function save(kind: ReceiptFileKind) {
    const receipt = await download.run(kind);
    if (receipt !== undefined) downloadText(`${name}.${kind}`, files[kind](receipt));
  }

  return (
    <>
      <Group gap="sm">
        {fileKinds.map((kind) => (
          <Button
            key={kind}
            variant="default"
            size="sm"
            leftSection={<IconDownload size={18} stroke={1.6} aria-hidden="true" />}
            loading={download.isRunning && download.input === kind}
            onClick={() => void save(kind)}
          >
            {t(kind)}
          </Button>
        ))}
      </Group>
      <Text size="sm" c="dimmed">
        {t('check')}{' '}
        <a href="/check-receipt" target="_blank" rel="noopener">
          {t('checkLink')}
        </a>
      </Text>
    </>
  );
}

/** The signed bytes, unchanged. */
function toJson(receipt: Receipt): string {
  return `${JSON.stringify(receipt, null, 2)}\n`;
}

import type { Connection } from '@cellhop/contract/connections';
import type { Receipt } from '@cellhop/contract/receipts';
import { Button, Group, Skeleton, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { downloadText } from '../../lib/download-text.ts';
import { useSettings } from '../../lib/settings.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';
import { useReceipt } from './api.ts';
import { ChargesTable } from './charges-table.tsx';
import { CostChart } from './cost-chart.tsx';
import { receiptCsv } from './receipt-csv.ts';
import classes from './receipt-section.module.css';

/** The signed bill of a connection: what was charged and when, to look at and to take away. */
export function ReceiptSection({ connection }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  const receipt = useReceipt(connection);
  return (
    <section className={classes['receipt']} aria-busy={receipt.isPending}>
      <h3>{t('receipt.title')}</h3>
      {receipt.data !== undefined ? (
        <ReceiptView receipt={receipt.data.data} />
      ) : receipt.isError ? (
        <LoadFailure
          text={t('receipt.failed')}
          error={receipt.error}
          isRetrying={receipt.isFetching}
          onRetry={() => void receipt.refetch()}
        />
      ) : (
        <Skeleton height={220} radius="md" />
      )}
    </section>
  );
}

function ReceiptView({ receipt }: { receipt: Receipt }) {
  const { t, i18n } = useTranslation('proxyConnection');
  const { publicUrl } = useSettings();
  const name = `receipt-${receipt.connectionId}`;
  return (
    <>
      <CostChart receipt={receipt} />
      <ChargesTable charges={receipt.charges} />
      <Group gap="sm">
        <Download text={t('receipt.json')} onClick={() => downloadText(`${name}.json`, toJson(receipt))} />
        <Download
          text={t('receipt.csv')}
          onClick={() => downloadText(`${name}.csv`, receiptCsv(receipt.charges, t, i18n.language))}
        />
      </Group>
      <Text size="sm" c="dimmed">
        {t('receipt.check', { url: `${publicUrl}/v1/receipts/public-key` })}
      </Text>
      <Copyable
        name={t('receipt.command')}
        value={`node tools/receipt-checker/cellhop-receipt.mjs ${name}.json --key key.txt`}
        isWrapped
      />
    </>
  );
}

/** What was signed, as it came. */
function toJson(receipt: Receipt): string {
  return `${JSON.stringify(receipt, null, 2)}\n`;
}

function Download({ text, onClick }: { text: string; onClick: () => void }) {
  return (
    <Button
      variant="default"
      size="sm"
      leftSection={<IconDownload size={18} stroke={1.6} aria-hidden="true" />}
      onClick={onClick}
    >
      {text}
    </Button>
  );
}

import type { Invoice } from '@cellhop/contract/invoices';
import { Button, Group } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { isPastLast, Pages, PastLastPage } from '../../ui/pages.tsx';
import { useInvoices } from './api.ts';
import { CreateInvoiceDialog } from './create-invoice-dialog.tsx';
import { InvoicesTable } from './invoices-table.tsx';
import { PayDialog } from './pay-dialog.tsx';

interface InvoicesPageProps {
  page: number;
  isCreating: boolean;
  /** Which invoice is looked at. */
  shownId: string | undefined;
  onPage: (page: number) => void;
  onCreating: (isCreating: boolean) => void;
  onCreated: (id: string) => void;
  onShow: (id: string | undefined) => void;
}

export function InvoicesPage({ page, isCreating, shownId, onPage, onCreating, onCreated, onShow }: InvoicesPageProps) {
  const { t } = useTranslation('payment');
  const [created, setCreated] = useState<Invoice>();
  const invoices = useInvoices(page);
  const totalPages = invoices.data?.totalPages ?? 0;
  const rows = invoices.isPlaceholderData ? undefined : invoices.data?.data;

  // A new one is there before the list has it.
  const shown = [...(rows ?? []), ...(created === undefined ? [] : [created])].find(({ id }) => id === shownId);

  function showCreated(invoice: Invoice) {
    setCreated(invoice);
    onCreated(invoice.id);
  }

  return (
    <>
      <Group mb="lg">
        <Button leftSection={<IconPlus size={18} aria-hidden="true" />} onClick={() => onCreating(true)}>
          {t('create.open')}
        </Button>
      </Group>
      {invoices.isError && rows === undefined ? (
        <LoadFailure
          text={t('table.failed')}
          error={invoices.error}
          isRetrying={invoices.isFetching}
          onRetry={() => void invoices.refetch()}
        />
      ) : isPastLast({ page, totalPages }) ? (
        <PastLastPage page={page} totalPages={totalPages} onChange={onPage} />
      ) : rows?.length === 0 ? (
        <EmptyList text={t('table.empty')} />
      ) : (
        <InvoicesTable invoices={rows} onShow={({ id }) => onShow(id)} />
      )}
      <Pages page={page} totalPages={totalPages} onChange={onPage} />
      <CreateInvoiceDialog isOpen={isCreating} onClose={() => onCreating(false)} onCreated={showCreated} />
      <PayDialog invoice={shown} onClose={() => onShow(undefined)} onCreateNew={() => onCreating(true)} />
    </>
  );
}

import type { Invoice } from '@cellhop/contract/invoices';
import { Button, Group } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { showToast } from '../../ui/toasts.ts';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { useInvoice, useInvoices } from './api.ts';
import { CreateInvoiceDialog } from './create-invoice-dialog.tsx';
import { InvoicesTable } from './invoices-table.tsx';
import { PayDialog } from './pay-dialog.tsx';

interface InvoicesPageProps {
  page: number;
  isCreating: boolean;
  /** The open invoice. */
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

  // A new invoice is shown before the list contains it.
  const listed = [...(invoices.rows ?? []), ...(created === undefined ? [] : [created])].find(
    ({ id }) => id === shownId,
  );
  const isElsewhere = shownId !== undefined && listed === undefined && invoices.rows !== undefined;
  const { found, isMissing } = useInvoice(isElsewhere ? shownId : undefined);
  const shown = listed ?? found;

  useEffect(() => {
    if (!isMissing) return;
    showToast('warning', t('missing'));
    onShow(undefined);
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isMissing]);

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
      <PagedList
        list={invoices}
        page={page}
        onPage={onPage}
        failureText={t('table.failed')}
        empty={<EmptyList text={t('table.empty')} />}
      >
        {(rows) => <InvoicesTable invoices={rows} onShow={({ id }) => onShow(id)} />}
      </PagedList>
      <CreateInvoiceDialog
        isOpen={isCreating}
        onClose={() => onCreating(false)}
        onCreated={showCreated}
        onShow={({ id }) => onCreated(id)}
      />
      <PayDialog invoice={shown} onClose={() => onShow(undefined)} onCreateNew={() => onCreating(true)} />
    </>
  );
}

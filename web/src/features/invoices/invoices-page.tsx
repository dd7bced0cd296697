import type { Invoice } from '@cellhop/contract/invoices';
import { Button, Group } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { showToast } from '../../ui/toasts.ts';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { useInvoice, useInvoices } from './api.ts';
import { CreateInvoiceDialog } from './create-invoice-dialog.tsx';
import { InvoicesTable } from './invoices-table.tsx';
import { PayDialog } from './pay-dialog.tsx';
import { invoicesScreen, invoicesSearch } from './screen.ts';

export function InvoicesPage() {
  const [{ page = 1, create = false, invoice: shownId }, change] = useScreenSearch(invoicesScreen);
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
    show(undefined);
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isMissing]);

  function show(id: string | undefined) {
    change({ create: undefined, invoice: id }, { replace: id === undefined, resetScroll: false });
  }

  function setCreating(isCreating: boolean) {
    change({ create: isCreating || undefined, invoice: undefined }, { replace: !isCreating });
  }

  /** Replaces the history entry: the back button must not reopen the dialog. */
  function showInstead({ id }: Invoice) {
    change(invoicesSearch({ invoice: id }), { replace: true });
  }

  function showCreated(invoice: Invoice) {
    setCreated(invoice);
    showInstead(invoice);
  }

  return (
    <>
      <Group mb="lg">
        <Button leftSection={<IconPlus size={18} aria-hidden="true" />} onClick={() => setCreating(true)}>
          {t('create.open')}
        </Button>
      </Group>
      <PagedList
        list={invoices}
        page={page}
        onPage={(chosen) => change(invoicesSearch({ page: chosen }))}
        failureText={t('table.failed')}
        empty={<EmptyList text={t('table.empty')} />}
      >
        {(rows) => <InvoicesTable invoices={rows} onShow={({ id }) => show(id)} />}
      </PagedList>
      <CreateInvoiceDialog
        isOpen={create}
        onClose={() => setCreating(false)}
        onCreated={showCreated}
        onShow={showInstead}
      />
      <PayDialog invoice={shown} onClose={() => show(undefined)} onCreateNew={() => setCreating(true)} />
    </>
  );
}

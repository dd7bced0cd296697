import { useTranslation } from 'react-i18next';
import { oneOf } from '../../loading/search-values.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { EmptyList } from '../../ui/list-state.tsx';
import { toTimeOrder } from '../staff-parts/continuation.ts';
import { ContinuedList } from '../staff-parts/continued-list.tsx';
import { OfUserNotice } from '../staff-parts/of-user-notice.tsx';
import { invoiceSorts } from '@cellhop/contract/staff/invoices.values';
import { useInvoicesOfUsers } from './api.ts';
import { InvoiceDialog } from './invoice-dialog.tsx';
import { InvoicesFilter } from './invoices-filter.tsx';
import { InvoicesTable } from './invoices-table.tsx';
import { staffInvoicesScreen } from './screen.ts';

/** A change of the filter starts at the first page. */
const FIRST = { page: undefined };

export function InvoicesPage() {
  const [search, change] = useScreenSearch(staffInvoicesScreen);
  const { t } = useTranslation('staffMoney');
  const invoices = useInvoicesOfUsers(search);
  return (
    <>
      <OfUserNotice userId={search.userId} />
      <InvoicesFilter search={search} onChange={(filter) => change({ ...filter, ...FIRST })} />
      <ContinuedList
        list={invoices}
        page={search.page ?? 1}
        onPage={(page) => change({ page })}
        moments={search}
        onMoments={(moments) => change({ ...moments, ...FIRST })}
        order={toTimeOrder(search.sort ?? invoiceSorts[0])}
        failureText={t('invoices.failed')}
        empty={<EmptyList text={t('invoices.empty')} />}
      >
        {(rows) => (
          <InvoicesTable
            invoices={rows}
            sort={search.sort ?? invoiceSorts[0]}
            onSort={(sort) => change({ sort: oneOf(sort, invoiceSorts), ...FIRST })}
            onShow={({ id }) => change({ invoice: id })}
          />
        )}
      </ContinuedList>
      <InvoiceDialog id={search.invoice} onClose={() => change({ invoice: undefined })} />
    </>
  );
}

import type { EndpointOutput } from '@cellhop/contract/endpoints';
import type { CreateInvoiceBody, CurrencyState, Invoice } from '@cellhop/contract/invoices';
import type { Currency } from '@cellhop/contract/invoices.values';
import { useTranslation } from 'react-i18next';
import { call, callForData } from '../../data/http.ts';
import { apiQuery, invalidate, pageQuery, queryClient } from '../../data/query.ts';
import { useSettings } from '../../data/settings.ts';
import { toLocalTime } from '../../data/server-clock.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { shownInForm, useAction } from '../../data/use-action.ts';
import { useList, prependRow } from '../../data/use-list.ts';
import { useListedRow } from '../../data/use-listed-row.ts';
import { useOnChange } from '../../hooks/use-last-value.ts';

export interface InvoiceList {
  page: number;
  hasExpired: boolean;
}

/** Polled more often while a payment is expected; a change of status may have changed the balance. */
export function useInvoices(list: InvoiceList) {
  const invoices = useList(invoicesQuery(list), { isBusy: isOpen });
  const statuses = invoices.rows?.map(({ status }) => status).join();
  useOnChange(statuses, (before) => {
    if (before !== undefined) void invalidate(['balance']);
  });
  return invoices;
}

/** One invoice, regardless of its page. */
export function useInvoice(id: string | undefined, rows: readonly Invoice[] | undefined) {
  return useListedRow({ id, rows, query: invoiceQuery(id ?? ''), isBusy: isOpen });
}

/** Whether invoices in each currency can be created now. Until that is known, all that are set up are offered. */
export function useCurrencies(): readonly CurrencyState[] {
  const { currencies: enabled } = useSettings();
  const { response } = useApiQuery(apiQuery('GET /v1/payments/currencies', {}), { isPolled: true });
  return response?.data ?? enabled.map((currency) => ({ currency, problem: null, dollarsPerCoin: null }));
}

/** The unpaid invoice that a new one in the same currency would end. */
export function useReplacedInvoice(currency: Currency | undefined): Invoice | undefined {
  const { rows } = useList(invoicesQuery(listShownFirst));
  return rows?.find((invoice) => invoice.currency === currency && invoice.status === 'PENDING' && hasTime(invoice));
}

function hasTime({ expiredAt }: Invoice): boolean {
  return Date.now() < toLocalTime(Date.parse(expiredAt));
}

/** The currency of the newest invoice that did not expire. */
export function useLastCurrency(): Currency | undefined {
  const { rows } = useList(invoicesQuery(listShownFirst));
  return rows?.[0]?.currency;
}

/** Undefined while it is unknown, and without a free proxy. */
export function useLowestMegabytePrice(): number | undefined {
  const { response } = useApiQuery(apiQuery('GET /v1/proxies/lowest-price', {}));
  return response?.data.megabytePrice ?? undefined;
}

/** Ends an unpaid invoice. A payment that is on its way is still credited. */
export function useCancelInvoice() {
  const { t } = useTranslation('payment');
  return useAction({
    call: (id: string) => callForData('POST /v1/payments/invoices/{id}/cancel', { params: { id } }),
    successText: () => t('pay.cancelled'),
    changes: ['invoices'],
  });
}

export function useCreateInvoice() {
  return useAction({
    call: (body: CreateInvoiceBody) => callForData('POST /v1/payments/invoices', { body }),
    onSuccess: (invoice) => {
      for (const hasExpired of [false, true]) prependRow(invoicesQuery({ page: 1, hasExpired }).queryKey, invoice);
      // Its dialog opens at once, even if the first page of the list is not loaded.
      queryClient.setQueryData<InvoicesResponse>(invoiceQuery(invoice.id).queryKey, { data: [invoice], totalPages: 1 });
    },
    onError: shownInForm,
    // The new invoice may have ended an older one in the same currency.
    changes: ['invoices'],
  });
}

export function usePayInvoice() {
  const { t } = useTranslation('payment');
  return useAction({
    call: (id: string) => call('POST /dev/invoices/{id}/pay', { params: { id }, body: {} }),
    successText: () => t('pay.sandboxPaid'),
    changes: ['invoices'],
  });
}

/** Whether a payment is expected or pending. */
export function isOpen(invoice: Invoice): boolean {
  const { status } = invoice;
  if (status === 'PARTIALLY_PAID') return hasTime(invoice);
  return status === 'PENDING' || status === 'CONFIRMING';
}

type InvoicesResponse = EndpointOutput<'GET /v1/payments/invoices'>;

const listShownFirst: InvoiceList = { page: 1, hasExpired: false };

function invoicesQuery({ page, hasExpired }: InvoiceList) {
  const query = { ...pageQuery(page), ...(!hasExpired && { hideExpired: 'true' as const }) };
  return apiQuery('GET /v1/payments/invoices', { query }, { topics: ['invoices'] });
}

function invoiceQuery(id: string) {
  return apiQuery('GET /v1/payments/invoices', { query: { id, ...pageQuery(1) } }, { topics: ['invoices'] });
}

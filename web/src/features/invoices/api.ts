import { payInvoice } from '@cellhop/contract/development.plain';
import type { Output } from '@cellhop/contract/endpoint';
import type { CreateInvoiceBody, Invoice } from '@cellhop/contract/invoices';
import { createInvoice, listInvoices } from '@cellhop/contract/invoices.plain';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { call } from '../../lib/http.ts';
import { usePollInterval } from '../../lib/live.ts';
import { toLocalTime } from '../../lib/server-clock.ts';
import { reloadProfile } from '../../lib/profile.ts';
import { useOnChange } from '../../lib/use-on-change.ts';
import { apiQuery, queryClient } from '../../lib/query.ts';

type InvoicesAnswer = Output<typeof listInvoices>;

/** Asks again, often while a payment is expected; a change of status may have changed the balance. */
export function useInvoices(page: number) {
  const pollInterval = usePollInterval();
  const invoices = useQuery({
    ...invoicesQuery(page),
    staleTime: 0,
    // The number of pages stays in sight while another page loads.
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => pollInterval(state.data?.data.some(isOpen) === true),
  });
  const statuses = invoices.data?.data.map(({ status }) => status).join();
  useOnChange(statuses, (before) => {
    if (before !== undefined) void reloadProfile();
  });
  return invoices;
}

export function useCreateInvoice() {
  return useMutation({
    mutationFn: async (body: CreateInvoiceBody) => (await call(createInvoice, { body })).data,
    onSuccess: (invoice) => {
      prepend(invoice);
      // The new invoice may have ended an older one in the same currency.
      void queryClient.invalidateQueries({ queryKey: [listInvoices.url] });
    },
  });
}

export function usePayInvoice() {
  return useMutation({
    mutationFn: (id: string) => call(payInvoice, { params: { id }, body: {} }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [listInvoices.url] }),
  });
}

/** More may come for it: a payment that is awaited or on its way. */
export function isOpen({ status, expiredAt }: Invoice): boolean {
  if (status === 'PARTIALLY_PAID') return Date.now() < toLocalTime(Date.parse(expiredAt));
  return status === 'PENDING' || status === 'CONFIRMING';
}

function invoicesQuery(page: number) {
  return apiQuery(listInvoices, { query: { page } });
}

function prepend(invoice: Invoice): void {
  queryClient.setQueryData<InvoicesAnswer>(invoicesQuery(1).queryKey, (answer) =>
    answer === undefined ? answer : { totalPages: Math.max(1, answer.totalPages), data: [invoice, ...answer.data] },
  );
}

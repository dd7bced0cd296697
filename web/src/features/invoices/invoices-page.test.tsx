import type { Invoice } from '@cellhop/contract/invoices';
import { invoiceStatuses } from '@cellhop/contract/invoices.values';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import {
  exampleInvoice,
  paidLate,
  replaceable,
  replaced,
  shortAndOver,
  waitsForPeg,
} from '../../../test/example-invoices.ts';
import { type Answers, openApp } from '../../../test/open-app.tsx';

/** One of each status, then the late ones. */
const listed: Invoice[] = [...invoiceStatuses.map((status) => exampleInvoice(status)), shortAndOver, paidLate].map(
  (invoice, index) => ({ ...invoice, id: `00000000-0000-4000-8000-00000000000${index}`, amount: 25 + index }),
);

const messages: Record<Invoice['status'], RegExp> = {
  PENDING: /^Send exactly this amount/,
  CONFIRMING: /^We see your payment/,
  PARTIALLY_PAID: /^You sent less than the invoice amount/,
  PAID: /^Paid\. The money/,
  OVERPAID: /^You sent more than the invoice amount/,
  EXPIRED: /^The invoice has expired/,
};

const currencies: Answers = { 'GET /v1/payments/currencies': { data: [{ currency: 'BTC', problem: null }] } };

/** Expired ones are listed as well. */
const LISTED = '/payments/invoices?expired=true';

function isAskedFor({ id, status }: Invoice, { searchParams }: URL): boolean {
  if (searchParams.has('id')) return id === searchParams.get('id');
  return status !== 'EXPIRED' || !searchParams.has('hideExpired');
}

function openList(path: string, invoices: readonly Invoice[]) {
  const list = { data: [...invoices], totalPages: 1 };
  const answers: Answers = {
    ...currencies,
    'GET /v1/payments/invoices': ({ url }) => ({ ...list, data: list.data.filter((row) => isAskedFor(row, url)) }),
  };
  return openApp(path, { answers }).then((app) => ({ ...app, list }));
}

type App = Awaited<ReturnType<typeof openList>>;

async function openInvoice({ screen, user }: App, { amount }: Invoice) {
  const row = await screen.findByRole('row', { name: new RegExp(String.raw`\$${amount}\.00 0\.00025000 BTC`) });
  await user.click(within(row).getByRole('button'));
  return within(await screen.findByRole('dialog'));
}

async function closeDialog({ screen, user }: App) {
  await user.keyboard('{Escape}');
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
}

const CODE = { name: 'QR code of the address' };
const readText = (name: string) => (dialog: ReturnType<typeof within>) =>
  dialog.getByRole('region', { name }).textContent;
const readReceived = readText('Received');

it('explains each status, and offers the address only while something is left to pay', async () => {
  const app = await openList(LISTED, listed);
  for (const invoice of listed) {
    const { id, status, expiredAt } = invoice;
    const dialog = await openInvoice(app, invoice);
    expect(location.search).toBe(`?invoice=${id}&expired=true`);
    expect((await dialog.findByText(messages[status])).closest('output')).not.toBeNull();
    const isPayable = status === 'PENDING' || (status === 'PARTIALLY_PAID' && Date.parse(expiredAt) > Date.now());
    expect(dialog.queryAllByRole('img', CODE)).toHaveLength(isPayable ? 1 : 0);
    await closeDialog(app);
  }
});

it('copies the exact amount, the rest of a partial payment, and the address', async () => {
  const app = await openList('/payments/invoices', listed);
  const [pending, , short] = listed as [Invoice, Invoice, Invoice];
  const whole = await openInvoice(app, pending);
  whole.getByText(/^Expires in (?:\d\d|1:00):\d\d$/);
  await app.user.click(whole.getByRole('button', { name: /^Copy Exact amount, BTC: 0/ }));
  expect(await navigator.clipboard.readText()).toBe('0.00025000');
  await app.user.click(whole.getByRole('button', { name: /^Copy Address: / }));
  expect(await navigator.clipboard.readText()).toBe(pending.address);
  await closeDialog(app);

  const rest = await openInvoice(app, short);
  expect(readReceived(rest)).toContain('0.00010000 of 0.00025000 BTC');
  expect(readReceived(rest)).toContain('Remaining0.00015000 BTC');
  expect(readReceived(rest)).toContain('Credited to your balance$10.00');
  await app.user.click(rest.getByRole('button', { name: /^Copy Remaining, BTC: / }));
  expect(await navigator.clipboard.readText()).toBe('0.00015000');
});

it('shows an excess, and a payment after the end', { tags: ['thorough'] }, async () => {
  const app = await openList('/payments/invoices', listed);
  const excess = await openInvoice(
    app,
    listed.find(({ status }) => status === 'OVERPAID')!,
  );
  expect(readReceived(excess)).toContain('Excess0.00005000 BTC');
  await closeDialog(app);
  const late = await openInvoice(app, listed.at(-1)!);
  expect(readReceived(late)).toContain('A payment arrived after the invoice expired.');
});

it('shows the rest of a partial payment when it arrives, and Back closes the dialog', async () => {
  const app = await openList('/payments/invoices', listed);
  const short = listed[2]!;
  const dialog = await openInvoice(app, short);
  expect(readReceived(dialog)).toContain('Remaining');
  app.list.data[2] = { ...short, status: 'CONFIRMING', payment: listed[1]!.payment };
  app.api.refetch();
  await expect.poll(() => readReceived(dialog)).toContain('Confirming0.00025000 BTC');
  expect(readReceived(dialog)).not.toContain('Remaining');
  expect(dialog.queryByRole('img', CODE)).toBeNull();
  history.back();
  await expect.poll(() => app.screen.queryByRole('dialog')).toBeNull();
});

it('opens the invoice of the address', async () => {
  const { screen } = await openList(`/payments/invoices?invoice=${listed[1]!.id}`, listed);
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.queryByText(messages.CONFIRMING)).not.toBeNull();
});

it('offers a new invoice when an open one expires', { tags: ['thorough'] }, async () => {
  const expiring = { ...listed[0]!, expiredAt: new Date(Date.now() + 2500).toISOString() };
  const app = await openList(`/payments/invoices?invoice=${expiring.id}`, [expiring]);
  const dialog = within(await app.screen.findByRole('dialog'));
  await dialog.findByText(messages.EXPIRED);
  expect(dialog.queryByRole('img', CODE)).toBeNull();
  await app.user.click(dialog.getByRole('button', { name: 'Create new invoice' }));
  await app.screen.findByRole('textbox', { name: /USD/ });
  expect(location.search).toBe('?create=true');
});

it('keeps rows and page numbers while the next page loads', { tags: ['thorough'] }, async () => {
  const { api, list, screen, user } = await openList('/payments/invoices', listed);
  list.totalPages = 2;
  api.refetch();
  const second = await screen.findByRole('button', { name: 'Page 2' });
  let respond!: (response: object) => void;
  api.set({ 'GET /v1/payments/invoices': () => new Promise<object>((resolve) => (respond = resolve)) });
  await user.click(second);
  await expect.poll(() => location.search).toBe('?page=2');
  screen.getByRole('button', { name: 'Page 1' });
  expect(screen.getAllByRole('row').length).toBeGreaterThan(2);
  respond({ data: listed.slice(0, 1), totalPages: 2 });
  await expect.poll(() => screen.getAllByRole('row')).toHaveLength(1 + 1);
});

it('leads from a missing page to the last one', async () => {
  const answers: Answers = {
    ...currencies,
    'GET /v1/payments/invoices': ({ url }) => ({
      data: url.searchParams.get('page') === '9' ? [] : listed,
      totalPages: 2,
    }),
  };
  const { screen, user } = await openApp('/payments/invoices?page=9', { answers });
  await screen.findByText('Page 9 no longer exists.');
  await user.click(screen.getByRole('button', { name: 'Go to the last page' }));
  await expect.poll(() => screen.getAllByRole('row')).toHaveLength(1 + listed.length);
  expect(location.search).toBe('?page=2');
});

it('lists a new invoice once, although the list has it before the response', { tags: ['thorough'] }, async () => {
  const app = await openList('/payments/invoices?create=true', []);
  const { api, list, screen, user } = app;
  const dialog = within(await screen.findByRole('dialog'));
  await user.type(await dialog.findByRole('textbox', { name: /USD/ }), '25');
  await user.click(dialog.getByRole('combobox'));
  await user.click(await screen.findByRole('option', { name: 'Bitcoin' }));
  const created = exampleInvoice('PENDING');
  let respond!: (response: object) => void;
  api.set({ 'POST /v1/payments/invoices': () => new Promise<object>((resolve) => (respond = resolve)) });
  await user.click(dialog.getByRole('button', { name: 'Create invoice' }));
  list.data.push(created);
  api.refetch();
  await expect.poll(() => screen.queryAllByRole('row')).toHaveLength(1 + 1);
  // The next list would correct the first.
  api.set({ 'GET /v1/payments/invoices': () => new Promise<never>(() => {}) });
  respond({ data: created });
  await expect.poll(() => location.search).toBe(`?invoice=${created.id}`);
  expect(screen.getAllByRole('row')).toHaveLength(1 + 1);
});

it('shows that a payment may be replaced, and that it was', { tags: ['thorough'] }, async () => {
  const app = await openList(`/payments/invoices?invoice=${replaceable.id}`, [replaceable]);
  const dialog = within(await app.screen.findByRole('dialog'));
  expect(readReceived(dialog)).toContain('Detected, not in a block yet; the sender can still replace it');
  app.list.data[0] = replaced;
  app.api.refetch();
  await dialog.findByText(/^A payment of 0.00025000 BTC was replaced by its sender or dropped/);
  expect(dialog.queryByRole('region', { name: 'Received' })).toBeNull();
  dialog.getByRole('img', CODE);
});

it('asks for 50 rows, and shows the 51st on the next page', { tags: ['thorough'] }, async () => {
  const many = Array.from({ length: 51 }, (_, index) =>
    exampleInvoice('PAID', { id: `00000000-0000-4000-8000-0000000001${10 + index}`, amount: 100 + index }),
  );
  const { api, screen, user } = await openApp('/payments/invoices', {
    answers: {
      ...currencies,
      'GET /v1/payments/invoices': ({ url }) => {
        const [page, size] = ['page', 'size'].map((name) => Number(url.searchParams.get(name))) as [number, number];
        return { data: many.slice((page - 1) * size, page * size), totalPages: 2 };
      },
    },
  });
  const rows = () => screen.queryAllByRole('row').slice(1);
  await expect.poll(rows).toHaveLength(50);
  expect(api.requests).toContain('GET /v1/payments/invoices?page=1&size=50&hideExpired=true');
  await user.click(screen.getByRole('button', { name: 'Page 2' }));
  await expect.poll(rows).toHaveLength(1);
  expect(rows()[0]?.textContent).toContain('$150.00');
});

/** How the API refuses fields that it does not know. */
it('opens the invoice of a link that is on another page', async () => {
  const elsewhere = exampleInvoice('PENDING', { id: '00000000-0000-4000-8000-000000000042', amount: 42 });
  const { api, screen } = await openApp(`/payments/invoices?invoice=${elsewhere.id}`, {
    answers: {
      ...currencies,
      'GET /v1/payments/invoices': ({ url }) => ({
        data: url.searchParams.has('id') ? [elsewhere] : [listed[1]],
        totalPages: 2,
      }),
    },
  });
  const dialog = await screen.findByRole('dialog', { name: 'Invoice for $42.00' });
  await expect.poll(() => dialog.textContent).toContain(elsewhere.address);
  expect(api.requests.some((request) => request.includes(`id=${elsewhere.id}`))).toBe(true);
});

it('says that the invoice of a link does not exist', async () => {
  const { screen } = await openApp('/payments/invoices?invoice=00000000-0000-4000-8000-999999999999', {
    answers: {
      ...currencies,
      'GET /v1/payments/invoices': ({ url }) => ({
        data: url.searchParams.has('id') ? [] : [listed[1]],
        totalPages: 1,
      }),
    },
  });
  await screen.findByText('Invoice not found');
  await expect.poll(() => location.search).toBe('');
});

it('says why a final payment in USDT is on hold, and not that the network must confirm it', async () => {
  const { screen } = await openList(`/payments/invoices?invoice=${waitsForPeg.id}`, [waitsForPeg]);
  const dialog = within(await screen.findByRole('dialog'));
  expect(await dialog.findByText(/^Your payment has arrived and is on hold/)).toBeTruthy();
  expect(readReceived(dialog)).toContain('USDT does not trade at one dollar now, or its price is unknown');
  expect(dialog.queryByText(messages.CONFIRMING)).toBeNull();
});

it('names the network of a coin, and what its payers get wrong', { tags: ['thorough'] }, async () => {
  const invoice = exampleInvoice('PENDING');
  const { api, list, screen } = await openList(`/payments/invoices?invoice=${invoice.id}`, [invoice]);
  const dialog = within(await screen.findByRole('dialog'));
  for (const [currency, network, note] of [
    ['TRX', 'TRX on TRON', /by a normal transfer, not from a contract/],
    ['TON', 'Gram (Toncoin) on TON', /No memo or comment is needed: leave it empty/],
    ['USDT_TRC20', 'USDT on TRON (TRC20)', /Choose the network TRON \(TRC20\)/],
    ['USDT_TON', 'USDT on TON', /No memo or comment is needed: leave it empty/],
  ] as const) {
    list.data[0] = { ...invoice, currency };
    api.refetch();
    expect(await dialog.findByText(network)).toBeTruthy();
    expect(dialog.getByText(note)).toBeTruthy();
  }
});

it('hides expired invoices until they are asked for, which the address keeps', async () => {
  const { screen, user } = await openList('/payments/invoices', listed);
  const statuses = () => screen.queryAllByRole('row').map(({ textContent }) => textContent?.includes('Expired'));
  await expect.poll(() => screen.queryAllByRole('row')).toHaveLength(1 + listed.length - 1);
  expect(statuses()).not.toContain(true);
  await user.click(screen.getByRole('checkbox', { name: 'Show expired' }));
  expect(location.search).toBe('?expired=true');
  await expect.poll(() => screen.queryAllByRole('row')).toHaveLength(1 + listed.length);
  expect(statuses()).toContain(true);
});

it('opens a new invoice that the list does not have, without asking for it', { tags: ['thorough'] }, async () => {
  const created = exampleInvoice('PENDING', { amount: 42 });
  const { api, screen, user } = await openApp('/payments/invoices?page=2&create=true', {
    answers: {
      ...currencies,
      // The first page never arrives.
      'GET /v1/payments/invoices': ({ url }) =>
        url.searchParams.get('page') === '2' ? { data: [listed[3]], totalPages: 2 } : new Promise<never>(() => {}),
      'POST /v1/payments/invoices': { data: created },
    },
  });
  const dialog = within(await screen.findByRole('dialog'));
  await user.type(await dialog.findByRole('textbox', { name: /USD/ }), '42');
  await user.click(dialog.getByRole('combobox'));
  await user.click(await screen.findByRole('option', { name: 'Bitcoin' }));
  await user.click(dialog.getByRole('button', { name: 'Create invoice' }));
  const paying = await screen.findByRole('dialog', { name: 'Invoice for $42.00' });
  expect(paying.textContent).toContain(created.address);
  expect(api.requests.some((request) => request.includes('id='))).toBe(false);
});

it('keeps an invoice open that expires and leaves the list', { tags: ['thorough'] }, async () => {
  const [pending] = listed as [Invoice];
  const app = await openList('/payments/invoices', [pending]);
  const dialog = await openInvoice(app, pending);
  const shown: (string | null)[] = [];
  const observer = new MutationObserver(() => shown.push(location.search));
  observer.observe(document.body, { childList: true, subtree: true });
  app.list.data[0] = { ...pending, status: 'EXPIRED' };
  app.api.refetch();
  await dialog.findByText(messages.EXPIRED);
  observer.disconnect();
  expect(new Set(shown)).toEqual(new Set([`?invoice=${pending.id}`]));
  await expect.poll(() => app.screen.queryAllByRole('row')).toHaveLength(0);
});

it('cancels an invoice that nothing was paid to, and no other', { tags: ['thorough'] }, async () => {
  const [pending, confirming] = [listed[0]!, listed[1]!];
  const app = await openList('/payments/invoices', [pending, confirming]);
  const paid = await openInvoice(app, confirming);
  expect(paid.queryByRole('button', { name: 'Cancel this invoice' })).toBeNull();
  await closeDialog(app);
  const dialog = await openInvoice(app, pending);
  app.api.set({
    'POST /v1/payments/invoices/*/cancel': () => {
      app.list.data[0] = { ...pending, status: 'EXPIRED' };
      return { data: app.list.data[0] };
    },
  });
  await app.user.click(dialog.getByRole('button', { name: 'Cancel this invoice' }));
  await app.screen.findByText(/^The invoice is cancelled/);
  expect((await dialog.findByText(messages.EXPIRED)).closest('output')).not.toBeNull();
});

import type { CurrencyState } from '@cellhop/contract/invoices';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { exampleInvoice } from '../../../test/example-invoices.ts';
import { issued } from '../../../test/tokens.ts';
import { type Answers, clickTwice, customer, openApp, refusal } from '../../../test/open-app.tsx';

const noInvoices: Answers = { 'GET /v1/payments/invoices': { data: [], totalPages: 1 } };
const allAvailable: Answers = {
  'GET /v1/payments/currencies': {
    data: [
      { currency: 'BTC', problem: null, dollarsPerCoin: null },
      { currency: 'LTC', problem: null, dollarsPerCoin: null },
    ] satisfies CurrencyState[],
  },
};

async function openForm(answers: Answers, options: { language?: 'en' | 'ru' } = {}) {
  const app = await openApp('/payments/invoices?create=true', { answers: { ...noInvoices, ...answers }, ...options });
  const dialog = within(await app.screen.findByRole('dialog'));
  const amount = await dialog.findByRole<HTMLInputElement>('textbox', { name: /USD/ });
  const choose = async (name: RegExp) => {
    await app.user.click(dialog.getByRole('combobox'));
    await app.user.click(await within(await app.screen.findByRole('listbox')).findByRole('option', { name }));
  };
  const create = () => app.user.click(dialog.getByRole('button', { name: 'Create invoice' }));
  return { ...app, dialog, amount, choose, create };
}

it('shows why a currency is unavailable, and does not let it be chosen', async () => {
  const states: CurrencyState[] = [
    { currency: 'BTC', problem: 'NETWORK', dollarsPerCoin: null },
    { currency: 'ETH', problem: 'RATE', dollarsPerCoin: null },
    { currency: 'LTC', problem: null, dollarsPerCoin: null },
  ];
  const { api, dialog, screen, user, choose } = await openForm({ 'GET /v1/payments/currencies': { data: states } });
  await user.click(dialog.getByRole('combobox'));
  const options = within(await screen.findByRole('listbox')).getAllByRole('option');
  expect(options.map(({ textContent, dataset }) => [textContent, dataset['comboboxDisabled']])).toEqual([
    [expect.stringMatching(/Bitcoin.*its network has problems/), 'true'],
    [expect.stringMatching(/Ether.*no reliable exchange rate/), 'true'],
    [expect.stringMatching(/Litecoin/), undefined],
  ]);
  await choose(/Litecoin/);
  expect(dialog.queryByRole('alert')).toBeNull();

  // The chosen one becomes unavailable, then all of them.
  states[2] = { currency: 'LTC', problem: 'RATE', dollarsPerCoin: null };
  states[0] = { currency: 'BTC', problem: null, dollarsPerCoin: null };
  api.refetch();
  expect((await dialog.findByRole('alert')).textContent).toBe('Unavailable now: there is no reliable exchange rate.');
  states[0] = { currency: 'BTC', problem: 'NETWORK', dollarsPerCoin: null };
  api.refetch();
  await dialog.findByText(/^No currency is available right now/);
  expect(dialog.getByRole('button', { name: 'Create invoice' }).getAttribute('aria-disabled')).toBe('true');
});

it('offers all currencies that are set up without a list of their states', async () => {
  const { dialog, screen, user } = await openForm(
    { 'GET /v1/payments/currencies': refusal(404, 'NOT_FOUND') },
    { language: 'ru' },
  );
  await user.click(dialog.getByRole('combobox'));
  expect(within(await screen.findByRole('listbox')).getAllByRole('option')).toHaveLength(9);
});

it('shows mistakes under the fields, and a missing rate above them', async () => {
  const { api, dialog, user, amount, choose, create } = await openForm(allAvailable);
  await create();
  expect(await dialog.findAllByText('Required field')).toHaveLength(2);
  await user.type(amount, '4');
  await dialog.findByText('Minimum value $5.00');
  await user.clear(amount);
  await user.type(amount, '42,50');
  await user.tab();
  await dialog.findByText('Enter an amount like 1,234.56');
  expect(amount.value).toBe('42,50');
  await user.clear(amount);
  await user.type(amount, '99999999999');
  await dialog.findByText('Maximum value $100,000.00');
  await user.clear(amount);
  await user.type(amount, '25');
  await choose(/Bitcoin/);
  api.set({ 'POST /v1/payments/invoices': refusal(503, 'RATE_UNAVAILABLE') });
  await create();
  await dialog.findByText(/^There is no reliable exchange rate right now/);
});

it(
  'warns that a second invoice in the same currency ends the first, with a link to it',
  { tags: ['thorough'] },
  async () => {
    const first = exampleInvoice('PENDING', { amount: 12, currency: 'LTC' });
    const { dialog, screen, user, choose } = await openForm({
      ...allAvailable,
      'GET /v1/payments/invoices': { data: [first], totalPages: 1 },
    });
    await choose(/Bitcoin/);
    expect(dialog.queryByRole('alert')).toBeNull();
    await choose(/Litecoin/);
    expect((await dialog.findByRole('alert')).textContent).toContain(
      'You have an unpaid invoice for $12.00 in this currency.',
    );
    await user.click(dialog.getByRole('button', { name: 'Open that invoice' }));
    await screen.findByRole('dialog', { name: 'Invoice for $12.00' });
  },
);

it('does not warn about the invoice that it has just created', { tags: ['thorough'] }, async () => {
  const created = exampleInvoice('PENDING', { amount: 25, currency: 'LTC' });
  let isCreated = false;
  const { screen, user, amount, choose, create } = await openForm({
    ...allAvailable,
    'GET /v1/payments/invoices': () => ({ data: isCreated ? [created] : [], totalPages: 1 }),
    'POST /v1/payments/invoices': () => {
      isCreated = true;
      return { data: created };
    },
  });
  await user.type(amount, '25');
  await choose(/Litecoin/);
  const shown: (string | null)[] = [];
  const observer = new MutationObserver(() => shown.push(document.body.textContent));
  observer.observe(document.body, { childList: true, subtree: true, characterData: true });
  await create();
  await screen.findByRole('dialog', { name: 'Invoice for $25.00' });
  await expect.poll(() => screen.queryByRole('dialog', { name: 'New invoice' })).toBeNull();
  observer.disconnect();
  expect(shown.filter((text) => text?.includes('You have an unpaid invoice'))).toEqual([]);
});

it(
  'keeps what was typed when the session ends, and creates one invoice for a double click',
  { tags: ['thorough'] },
  async () => {
    const created = exampleInvoice('PENDING', { amount: 1042.5, currency: 'LTC' });
    const { api, amount, choose, create, fill, screen, user } = await openForm({
      ...allAvailable,
      'POST /v1/payments/invoices': refusal(401, 'UNAUTHORIZED'),
      'POST /v1/auth/sign-in': { data: { ...issued('later', 1), deviceToken: 'device', profile: customer } },
    });
    await fill(amount, '1,042.50');
    await user.tab();
    await choose(/Litecoin/);
    await create();
    await screen.findByText('Please sign in to continue where you left off.');
    await fill(screen.getByLabelText('Email'), customer.email);
    await fill(screen.getByLabelText('Password'), 'a long enough password');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'New invoice' }));
    expect((await dialog.findByRole<HTMLInputElement>('textbox', { name: /USD/ })).value).toBe('1,042.50');
    expect(dialog.getByRole<HTMLInputElement>('combobox').value).toBe('Litecoin');
    api.set({
      'POST /v1/payments/invoices': { data: created },
      'GET /v1/payments/invoices': { data: [created], totalPages: 1 },
    });
    api.requests.length = 0;
    clickTwice(dialog.getByRole('button', { name: 'Create invoice' }));
    await screen.findByRole('dialog', { name: 'Invoice for $1,042.50' });
    expect(api.requests.filter((request) => request.startsWith('POST'))).toEqual(['POST /v1/payments/invoices']);
    expect(location.search).toBe(`?invoice=${created.id}`);
    await user.keyboard('{Escape}');
    await expect.poll(() => location.search).toBe('');
    await screen.findByRole('row', { name: /Litecoin/ });
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
    await user.click(screen.getAllByRole('button', { name: 'Create new invoice' })[0]!);
    const next = within(await screen.findByRole('dialog', { name: 'New invoice' }));
    await expect.poll(() => next.queryByRole<HTMLInputElement>('textbox', { name: /USD/ })?.value).toBe('');
  },
);

const withRates: Answers = {
  'GET /v1/payments/currencies': {
    data: [
      { currency: 'BTC', problem: null, dollarsPerCoin: '100000.00' },
      { currency: 'LTC', problem: null, dollarsPerCoin: '100.00' },
    ] satisfies CurrencyState[],
  },
  'GET /v1/proxies/lowest-price': { data: { megabytePrice: 0.004 } },
};

it('offers the usual amounts and what 10 GB cost, and says the amount in the coin before the invoice exists', async () => {
  const { dialog, user, amount, choose } = await openForm(withRates);
  await dialog.findByRole('button', { name: '10 GB · $41' });
  const presets = within(dialog.getByRole('group', { name: 'Common amounts' })).getAllByRole('button');
  expect(presets.map(({ textContent }) => textContent)).toEqual(['$10', '$25', '$50', '$100', '10 GB · $41']);
  await user.click(presets[2]!);
  expect(amount.value).toBe('50');
  expect(presets.map((preset) => preset.getAttribute('aria-pressed'))).toEqual([
    'false',
    'false',
    'true',
    'false',
    'false',
  ]);
  await choose(/Litecoin/);
  expect((await dialog.findByText(/^About /)).textContent).toBe('About 0.5000 LTC at the current rate');
  await choose(/Bitcoin/);
  expect((await dialog.findByText(/^About /)).textContent).toBe('About 0.0005000 BTC at the current rate');
});

it('has the currency of the last invoice chosen, and first in the list', async () => {
  const last = exampleInvoice('PAID', { currency: 'LTC' });
  const { dialog, screen, user } = await openForm({
    ...withRates,
    'GET /v1/payments/invoices': { data: [last], totalPages: 1 },
  });
  await expect.poll(() => dialog.getByRole<HTMLInputElement>('combobox').value).toBe('Litecoin');
  await user.click(dialog.getByRole('combobox'));
  const options = within(await screen.findByRole('listbox')).getAllByRole('option');
  expect(options.map(({ textContent }) => textContent)).toEqual(['Litecoin', 'Bitcoin']);
});

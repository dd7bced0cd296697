import type { Transaction } from '@cellhop/contract/transactions';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Answers, customer, openApp } from '../../../test/open-app.tsx';

const trial: Transaction = {
  id: '1',
  createdAt: '2026-11-21T12:00:00.000Z',
  kind: 'TRIAL',
  amount: 1,
  balanceAfter: 1,
  subject: { kind: 'PROMO_CODE', id: '00000000-0000-4000-8000-000000000001', label: 'WELCOME' },
  receipt: null,
};
const LIST = 'GET /v1/transactions';

async function openTransactions(path = '', answers: Answers = {}) {
  const app = await openApp(`/transactions${path}`, {
    answers: { [LIST]: { data: [trial], totalPages: 1 }, ...answers },
  });
  await app.screen.findByRole('heading', { level: 1 });
  const rows = () => app.screen.queryAllByRole('row');
  return { ...app, rows };
}

it('filters by types, which are in the address', async () => {
  const { api, rows, screen, user } = await openTransactions();
  await expect.poll(rows).toHaveLength(2);
  await user.click(screen.getByRole('combobox', { name: 'Type' }));
  const option = async (name: string) => within(await screen.findByRole('listbox')).getByRole('option', { name });
  await user.click(await option('Trial credit'));
  await expect.poll(async () => (await option('Trial credit')).getAttribute('aria-selected')).toBe('true');
  await user.click(await option('Refund'));
  await user.keyboard('{Escape}');
  await expect.poll(() => location.search).toBe('?kind=TRIAL&kind=REFUND');
  await expect.poll(() => api.requests.some((request) => request.includes('kind=TRIAL&kind=REFUND'))).toBe(true);
});

it('reads the filters of the address, and resets them', async () => {
  const { api, rows, screen, user } = await openTransactions('?kind=TRIAL&to=2020-01-30');
  await expect.poll(rows).toHaveLength(2);
  expect(rows()[1]?.textContent).toContain('Promo code WELCOME');
  expect(api.requests.some((request) => request.startsWith(`${LIST}?`) && request.includes('kind=TRIAL'))).toBe(true);
  const to = screen.getByRole<HTMLInputElement>('textbox', { name: 'To' });
  expect(to.value).toBe('30.01.2020');
  await user.click(screen.getByRole('button', { name: 'Reset' }));
  await expect.poll(() => location.search).toBe('');
  expect(to.value).toBe('');
});

it('takes days that are typed or chosen in a calendar, and refuses those that do not exist', async () => {
  const { screen, user } = await openTransactions('', {
    [LIST]: ({ url }) => ({ data: url.searchParams.has('to') ? [] : [trial], totalPages: 1 }),
  });
  const to = await screen.findByRole<HTMLInputElement>('textbox', { name: 'To' });
  await user.type(to, '31022020{Enter}');
  expect(to.value).toBe('31022020');
  await screen.findByText('This date does not exist');
  await user.clear(to);
  await user.type(to, '31012020');
  await screen.findByText('No transactions match these filters.');
  await expect.poll(() => location.search).toBe('?to=2020-01-31');
  await user.click(screen.getByRole('button', { name: 'To: calendar' }));
  const day = await screen.findByRole('button', { name: '31 January 2020' });
  await expect.poll(() => document.activeElement).toBe(day);
  await user.keyboard('{ArrowLeft}{Enter}');
  await expect.poll(() => to.value).toBe('30.01.2020');
  await expect.poll(() => location.search).toBe('?to=2020-01-30');
});

it('shows the result of the reconciliation only to staff who may read transactions', async () => {
  const { screen } = await openTransactions('', {
    'GET /v1/profile': { data: { ...customer, role: { name: 'FINANCE', permissions: ['TRANSACTIONS_READ'] } } },
    'GET /v1/transactions/admin/reconciliation': {
      data: { status: 'OK', checkedAt: trial.createdAt, durationMs: 1, violations: [], violationCount: 0 },
    },
  });
  expect((await screen.findByText('Balanced')).closest('footer')?.textContent).toContain('checked');
});

it('does not ask for the reconciliation as a customer', async () => {
  const { api, rows, screen } = await openTransactions();
  await expect.poll(rows).toHaveLength(2);
  expect(screen.queryByText('Balanced')).toBeNull();
  expect(api.requests.some((request) => request.includes('reconciliation'))).toBe(false);
});

it('shows the currency of a top-up by its name', async () => {
  const subject = { kind: 'INVOICE', id: '00000000-0000-4000-8000-000000000002', label: 'USDT_ERC20' };
  const topUp = { ...trial, kind: 'TOP_UP', subject };
  const { screen } = await openTransactions('', { [LIST]: { data: [topUp], totalPages: 1 } });
  expect(await screen.findByText('Invoice in USDT on Ethereum (ERC20)')).toBeTruthy();
});

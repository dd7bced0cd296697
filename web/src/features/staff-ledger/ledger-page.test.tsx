import type { StaffTransaction } from '@cellhop/contract/staff/transactions';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { nothingWaits, openAsStaff } from '../../../test/open-staff.ts';

const customer = { id: '00000000-0000-4000-8000-00000000c002', email: 'someone@example.com' };
const ledger = { data: [], totalPages: 0, isTruncated: false, user: customer, balance: 5, held: 0 };
const colleague = { id: '00000000-0000-4000-8000-00000000c003', email: 'colleague@example.com' };

async function openAdjustment(approvers: readonly { id: string; email: string }[]) {
  const asked: (string | null)[] = [];
  const { screen, user } = await openAsStaff(`/admin/users/${customer.id}/transactions`, {
    answers: {
      'GET /v1/transactions/admin': ledger,
      'POST /v1/transactions/admin/adjustments': { data: { status: 'PENDING' } },
      'GET /v1/approvals/admin/adjustments/allowance': ({ url }) => {
        asked.push(url.searchParams.get('userId'));
        return { data: { withoutApproval: 70, approvers } };
      },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Adjust balance' }));
  const dialog = within(await screen.findByRole('dialog'));
  return {
    dialog,
    screen,
    user,
    type: (text: string) => user.type(dialog.getByLabelText(/^Amount, USD/), text),
    asked,
  };
}

it('says beforehand that an amount needs a second person, and who that can be', async () => {
  const { dialog, type, asked } = await openAdjustment([colleague]);
  await type('70');
  expect(dialog.queryByText(/^This needs the approval/)).toBeNull();
  await type('.01');
  expect(
    await dialog.findByText(/the approval of another person\. They can approve it: colleague@example\.com\./),
  ).toBeTruthy();
  expect(asked).toEqual([customer.id]);
});

it('says that nobody else can approve, and that the request is no success', async () => {
  const { dialog, screen, type, user } = await openAdjustment([]);
  await type('-500');
  expect(await dialog.findByText(/but nobody else can/)).toBeTruthy();
  await user.type(dialog.getByLabelText(/^Reason/), 'goodwill');
  await user.click(dialog.getByRole('button', { name: 'Deduct $500.00' }));
  const toast = await screen.findByText('The request is saved, but nobody else can approve it');
  expect(toast.closest('[data-kind]')?.getAttribute('data-kind')).toBe('warning');
});

it('shows in the menu how many requests wait for the member of staff', async () => {
  const { screen } = await openAsStaff('/admin/approvals', {
    answers: {
      'GET /v1/dashboard/admin/attention': { data: { ...nothingWaits, approvals: { waiting: 3, list: 'ADJUSTMENT' } } },
      'GET /v1/approvals/admin/adjustments': { data: [], totalPages: 0, isTruncated: false, pendingCount: 3 },
    },
  });
  expect(await screen.findByRole('link', { name: /Approvals.*3 requests are waiting for your approval/ })).toBeTruthy();
});

const topUp: StaffTransaction = {
  id: '1',
  createdAt: '2026-11-21T12:00:00.000Z',
  kind: 'TOP_UP',
  amount: 25,
  balanceAfter: 25,
  subject: { kind: 'INVOICE', id: '00000000-0000-4000-8000-00000000c004', label: 'USDT_ERC20' },
  receipt: null,
  adjustment: null,
};

it('shows currencies by their names, as the search does', async () => {
  const invoice = { amount: 1025, currency: 'USDT_ERC20' };
  const answers = {
    'GET /v1/transactions/admin': { ...ledger, data: [topUp] },
    'GET /v1/search/admin': {
      data: [{ kind: 'INVOICE', id: topUp.subject!.id, title: '$1025 USDT_ERC20', detail: customer.email, invoice }],
    },
  };
  const name = 'USDT on Ethereum (ERC20)';
  const { screen, user } = await openAsStaff(`/admin/users/${customer.id}/transactions`, { answers });
  expect(await screen.findByText(`Invoice in ${name}`)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Search' }));
  await user.type(await screen.findByRole('searchbox'), 'customer');
  expect(await screen.findByText(`$1,025.00, ${name}`)).toBeTruthy();
});

import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openAsStaff } from '../../../test/open-staff.ts';

const customer = { id: '00000000-0000-4000-8000-00000000c002', email: 'someone@example.com' };
const ledger = { data: [], totalPages: 0, isTruncated: false, user: customer, balance: 5, held: 0 };
const colleague = { id: '00000000-0000-4000-8000-00000000c003', email: 'colleague@example.com' };

async function openAdjustment(approvers: readonly { id: string; email: string }[]) {
  const asked: (string | null)[] = [];
  const { screen, user } = await openAsStaff(`/admin/users/${customer.id}/transactions`, {
    answers: {
      'GET /v1/transactions/admin': ledger,
      'GET /v1/approvals/admin/adjustments/allowance': ({ url }) => {
        asked.push(url.searchParams.get('userId'));
        return { data: { withoutApproval: 70, approvers } };
      },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Adjust balance' }));
  const dialog = within(await screen.findByRole('dialog'));
  return { dialog, type: (text: string) => user.type(dialog.getByLabelText(/^Amount, USD/), text), asked };
}

it('says beforehand that an amount needs a second person, and who that can be', async () => {
  const { dialog, type, asked } = await openAdjustment([colleague]);
  await type('70');
  expect(dialog.queryByText(/^This waits/)).toBeNull();
  await type('.01');
  expect(await dialog.findByText(/until another person approves it\. They can: colleague@example\.com\./)).toBeTruthy();
  expect(asked).toEqual([customer.id]);
});

it('says that nobody else can approve', async () => {
  const { dialog, type } = await openAdjustment([]);
  await type('-500');
  expect(await dialog.findByText(/but nobody else can/)).toBeTruthy();
});

it('shows in the menu how many requests wait for the member of staff', async () => {
  const { screen } = await openAsStaff('/admin/approvals', {
    answers: {
      'GET /v1/approvals/admin/pending': { data: { count: 3 } },
      'GET /v1/approvals/admin/adjustments': { data: [], totalPages: 0, isTruncated: false, pendingCount: 3 },
    },
  });
  expect(await screen.findByRole('link', { name: /Approvals.*3 requests wait for your approval/ })).toBeTruthy();
});

import type { StaffRequest } from '@cellhop/contract/staff/approvals';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openAsStaff } from '../../../test/open-staff.ts';

const user = (number: number, email: string) => ({ id: `00000000-0000-4000-8000-00000000b00${number}`, email });
const request = (number: number, values: Partial<StaffRequest>): StaffRequest => ({
  id: `00000000-0000-4000-8000-00000000a00${number}`,
  kind: 'ADJUSTMENT',
  status: 'PENDING',
  user: user(1, `customer${number}@example.com`),
  invoice: null,
  connection: null,
  promoCode: null,
  isOthers: true,
  amount: 500,
  reason: 'goodwill after the outage',
  author: user(2, 'author@example.com'),
  createdAt: '2026-11-01T10:00:00Z',
  lapsesAt: '2026-11-04T10:00:00Z',
  decidedBy: null,
  decidedAt: null,
  decisionReason: null,
  ...values,
});
const page = (data: readonly StaffRequest[]) => ({
  data,
  totalPages: 1,
  isTruncated: false,
  pendingCount: data.length,
});

it('offers approval only of requests of other persons, as the API says', async () => {
  const data = [request(1, { isOthers: false }), request(2, { isOthers: true })];
  const { screen } = await openAsStaff('/admin/approvals', {
    answers: { 'GET /v1/approvals/admin/adjustments': page(data) },
  });
  const buttons = async (number: number) =>
    within(await screen.findByRole('row', { name: new RegExp(`customer${number}`) }))
      .getAllByRole('button')
      .map(({ textContent }) => textContent);
  expect(await buttons(1)).toEqual(['Reject']);
  expect(await buttons(2)).toEqual(['Approve', 'Reject']);
});

it('approves a promo code, and says what it can cost', async () => {
  const promoCode = {
    id: '00000000-0000-4000-8000-00000000d001',
    code: 'SPRING',
    trialCredit: 50,
    trialCreditsMax: 100,
  };
  const data = [request(1, { kind: 'PROMO_CODE', amount: 5000, promoCode, isOthers: true })];
  const approved: string[] = [];
  const { screen, user: person } = await openAsStaff('/admin/approvals?kind=PROMO_CODE', {
    answers: {
      'GET /v1/approvals/admin/promo-codes': page(data),
      'POST /v1/approvals/admin/promo-codes/*/approve': ({ url }) => {
        approved.push(url.pathname);
        return { data: { ...data[0]!, status: 'APPROVED' } };
      },
    },
  });
  await person.click(await screen.findByRole('button', { name: /^Approve / }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText(/sign up with SPRING.*Each gets \$50\.00, at most \$5,000\.00 in total\./)).toBeTruthy();
  await person.click(dialog.getByRole('button', { name: 'Approve' }));
  await screen.findByText('Request approved and applied');
  expect(approved).toHaveLength(1);
});

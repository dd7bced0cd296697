import type { StaffInvoiceDetail } from '@cellhop/contract/staff/invoices';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { exampleDeposit, exampleInvoice } from '../../../test/example-invoices.ts';
import { openAsStaff } from '../../../test/open-staff.ts';

it('shows that a deposit may be replaced, and that its address was paid to before', async () => {
  const invoice: StaffInvoiceDetail = {
    ...exampleInvoice('CONFIRMING', { amount: 25 }),
    user: { id: '00000000-0000-4000-8000-00000000c001', email: 'customer@example.com' },
    rate: '100000',
    derivationIndex: 3,
    due: 25,
    deposits: [
      exampleDeposit(1, { state: 'SEEN', isReplaceable: true, isAddressReuse: true }),
      exampleDeposit(2, { state: 'REPLACED' }),
    ],
  };
  const { screen, user } = await openAsStaff('/admin/payment/invoices', {
    answers: {
      'GET /v1/payments/admin/invoices': { data: [invoice], totalPages: 1, isTruncated: false },
      'GET /v1/payments/admin/invoices/*': { data: invoice },
    },
  });
  await user.click(await screen.findByRole('button', { name: /^Details of the \$25\.00 invoice/ }));
  const dialog = within(await screen.findByRole('dialog'));
  const list = within(await dialog.findByRole('list', { name: 'Received deposits' }));
  const [first, second] = list.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(first).toContain('Unconfirmed, replaceable');
  expect(first).toContain('Address reused');
  expect(first).toContain('First seen');
  expect(second).toContain('Replaced');
  expect(second).not.toContain('Address reused');
});

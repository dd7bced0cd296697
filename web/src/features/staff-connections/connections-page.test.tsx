import type { StaffConnection } from '@cellhop/contract/staff/connections';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { exampleConnection } from '../../../test/example-connections.ts';
import { openAsStaff } from '../../../test/open-staff.ts';

const staffConnection = (values: Partial<StaffConnection>): StaffConnection => {
  const { password: _password, label: _label, ...connection } = exampleConnection(1, { status: 'NOT_WORK' });
  return { ...connection, user: { id: '00000000-0000-4000-8000-00000000c001', email: 'c@example.com' }, ...values };
};
const listOf = (...data: StaffConnection[]) => ({ data, totalPages: 1, isTruncated: false });

it('refunds what a connection cost, or a part of it', async () => {
  const connection = staffConnection({ ip: '198.18.0.7', paidFor: 0.4 });
  const sent: unknown[] = [];
  const { screen, user } = await openAsStaff('/admin/connections', {
    answers: {
      'GET /v1/proxies/connections/admin': listOf(connection),
      'POST /v1/proxies/connections/admin/*/refund': ({ body, headers }) => {
        sent.push([body, headers.has('idempotency-key')]);
        return { data: { status: 'APPLIED' } };
      },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Refund the connection to 198.18.0.7' }));
  const dialog = within(await screen.findByRole('dialog'));
  const amount = dialog.getByLabelText(/^Amount, USD/);
  expect(amount).toHaveProperty('value', '0.4');
  await user.clear(amount);
  await user.type(amount, '0.5');
  expect(dialog.getByText('Maximum value $0.40')).toBeTruthy();
  await user.clear(amount);
  await user.type(amount, '0.25');
  await user.type(dialog.getByLabelText(/^Reason/), 'broken exit');
  await user.click(dialog.getByRole('button', { name: 'Refund $0.25' }));
  await screen.findByText('The connection to 198.18.0.7 was refunded');
  expect(sent).toEqual([[{ amount: 0.25, reason: 'broken exit' }, true]]);
});

it('offers no refund of what cost nothing, nor without the permission', async () => {
  const connections = listOf(staffConnection({ paidFor: 0, refundStatus: 'PARTLY_REFUNDED' }));
  const { screen } = await openAsStaff('/admin/connections', {
    answers: { 'GET /v1/proxies/connections/admin': connections },
  });
  expect(await screen.findByText('Partly refunded')).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^Refund/ })).toBeNull();
});

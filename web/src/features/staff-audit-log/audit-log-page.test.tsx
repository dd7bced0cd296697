import type { AuditEntry } from '@cellhop/contract/staff/audit-log';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openAsStaff } from '../../../test/open-staff.ts';

const staff = { id: '00000000-0000-4000-8000-00000000c001', email: 'support@example.com' };
const customer = { id: '00000000-0000-4000-8000-00000000c002', email: 'customer@example.com' };
const ticketId = '00000000-0000-4000-8000-00000000d001';
const closed: AuditEntry = {
  id: '3',
  createdAt: '2026-11-22T12:00:00.000Z',
  action: 'TICKET_CLOSED',
  actor: staff,
  user: customer,
  subject: { type: 'TICKET', id: ticketId },
  ip: '198.51.100.7',
  device: 'Firefox on Windows',
  requestId: 'req-1',
  reason: 'it is answered',
  before: { status: 'OPEN' },
  after: { status: 'CLOSED' },
  details: { sha256: 'ab'.repeat(32) },
};
const failed: AuditEntry = {
  ...closed,
  id: '2',
  action: 'SIGN_IN_FAILED',
  actor: null,
  user: null,
  subject: null,
  reason: 'WRONG_PASSWORD',
  before: null,
  after: null,
};
const resumed: AuditEntry = {
  ...failed,
  id: '1',
  action: 'CHAIN_RESUMED',
  reason: null,
  ip: null,
  device: null,
  requestId: null,
};
const ofNewerRelease: AuditEntry = { ...closed, id: '0', action: 'SOMETHING_NEW' };

const answers = {
  'GET /v1/audit-log/admin': {
    data: [closed, failed, { ...resumed, details: {} }, ofNewerRelease],
    totalPages: 1,
    isTruncated: false,
  },
};

it('says in a sentence who did what to whom, with links', async () => {
  const { screen } = await openAsStaff('/admin/audit-log', { answers });
  const row = within(await screen.findByRole('row', { name: /closed a ticket/ }));
  const sentence = row.getAllByRole('paragraph')[0]!;
  expect(sentence.textContent).toBe('support@example.com closed a ticket of customer@example.com');
  row.getByText('Reason: it is answered');
  expect(row.getByRole('link', { name: 'a ticket' }).getAttribute('href')).toBe(`/admin/tickets/${ticketId}`);
  expect(row.getByRole('link', { name: /^customer/ }).getAttribute('href')).toBe(`/admin/users/${customer.id}`);
  screen.getByText('A sign-in as an unknown account failed');
  screen.getByText('Reason: the password was wrong');
  screen.getByText('The operator resumed a chain');
  expect((await screen.findByRole('row', { name: /SOMETHING_NEW/ })).textContent).toContain(
    'support@example.com: SOMETHING_NEW',
  );
});

it('has the recorded values collapsed below the sentence', async () => {
  const { screen, user } = await openAsStaff('/admin/audit-log', { answers });
  const row = within(await screen.findByRole('row', { name: /closed a ticket/ }));
  const details = row.getByRole('group');
  expect(details.hasAttribute('open')).toBe(false);
  await user.click(row.getByText('Details'));
  const values = row.getAllByRole('definition').map(({ textContent }) => textContent);
  expect(values).toEqual(['OPEN → CLOSED', 'ab'.repeat(32), '198.51.100.7, Firefox on Windows', 'req-1']);
  // Nothing was recorded with it.
  const plain = within(await screen.findByRole('row', { name: /resumed a chain/ }));
  expect(plain.queryByRole('group')).toBeNull();
});

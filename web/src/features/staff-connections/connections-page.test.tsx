import type { StaffConnection } from '@cellhop/contract/staff/connections';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { refusal } from '../../../test/open-app.tsx';
import { exampleConnection } from '../../../test/example-connections.ts';
import { catchDownloads } from '../../../test/downloads.ts';
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
      'GET /v1/proxies/connections/admin/*/charges': { data: [], totalPages: 0 },
      'POST /v1/proxies/connections/admin/*/refund': ({ body, headers }) => {
        sent.push([body, headers.has('idempotency-key')]);
        return { data: { status: 'APPLIED' } };
      },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Details of 198.18.0.7' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.click(await dialog.findByRole('button', { name: 'Refund' }));
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
  const connection = staffConnection({ paidFor: 0, refundStatus: 'PARTLY_REFUNDED' });
  const { screen } = await openAsStaff(`/admin/connections?connection=${connection.id}`, {
    answers: {
      'GET /v1/proxies/connections/admin': listOf(connection),
      'GET /v1/proxies/connections/admin/*/charges': { data: [], totalPages: 0 },
    },
  });
  const dialog = within(await screen.findByRole('dialog'));
  expect(await dialog.findByText('Partly refunded')).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^Refund/ })).toBeNull();
});

it('keeps the focus in a filter after Enter, and says why a text is not applied', { tags: ['thorough'] }, async () => {
  const { screen, user } = await openAsStaff('/admin/connections', {
    answers: { 'GET /v1/proxies/connections/admin': listOf(staffConnection({})) },
  });
  const field = await screen.findByRole('textbox', { name: 'IP address' });
  await user.type(field, 'abc{Enter}');
  expect(await screen.findByText('Enter an IP address, such as 203.0.113.7')).toBeTruthy();
  expect(window.location.search).toBe('');
  await user.clear(field);
  await user.type(field, ' 198.18.0.7{Enter}');
  await expect.poll(() => window.location.search).toBe('?ip=198.18.0.7');
  expect(document.activeElement).toBe(field);
  expect(field.isConnected).toBe(true);
  expect(screen.queryByText('Enter an IP address, such as 203.0.113.7')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Reset' }));
  await expect.poll(() => (field as HTMLInputElement).value).toBe('');
});

it('asks who had an address at a time, in the zone of the browser', { tags: ['thorough'] }, async () => {
  const { screen, user, api } = await openAsStaff('/admin/connections?ip=198.18.0.7&client=203.0.113.9', {
    answers: { 'GET /v1/proxies/connections/admin': listOf(staffConnection({})) },
  });
  const field = await screen.findByRole('textbox', { name: 'Used at, your time' });
  await user.type(field, '30.02.2026 14:05{Enter}');
  expect(await screen.findByText('This time does not exist')).toBeTruthy();
  await user.clear(field);
  await user.type(field, '21.11.2026 14:5{Enter}');
  expect(await screen.findByText('Use the format DD.MM.YYYY HH:MM')).toBeTruthy();
  expect(window.location.search).not.toContain('at=');
  await user.clear(field);
  // Without separators, as the numeric keypad of a phone has none; the field says what it has read.
  await user.type(field, '211120261405{Enter}');
  expect((field as HTMLInputElement).value).toBe('21.11.2026 14:05');
  expect(screen.getByText('Sat, 21 Nov 2026, 14:05')).toBeTruthy();
  await expect.poll(() => window.location.search).toContain('at=2026-11-21T14%3A05');
  const at = new Date('2026-11-21T14:05').toISOString();
  const asked = () => new URL(api.requests.findLast((each) => each.includes('/admin?'))!.slice(4), location.origin);
  await expect.poll(() => asked().searchParams.get('at')).toBe(at);
  expect(Object.fromEntries(asked().searchParams)).toMatchObject({ ip: '198.18.0.7', client: '203.0.113.9' });
  // Another day from the calendar keeps the time.
  await user.click(screen.getByRole('button', { name: 'Used at, your time: calendar' }));
  await user.click(await screen.findByRole('button', { name: '20 November 2026' }));
  await expect.poll(() => window.location.search).toContain('at=2026-11-20T14%3A05');
});

it('disconnects the selected ones after a preview, and offers only open ones', { tags: ['thorough'] }, async () => {
  const id = '00000000-0000-4000-8000-00000000a001';
  const open = staffConnection({ id, ip: '198.18.0.9', status: 'WORK', paidFor: 0.4 });
  const sent: unknown[] = [];
  const { screen, user } = await openAsStaff('/admin/connections', {
    answers: {
      'GET /v1/proxies/connections/admin': listOf(open, staffConnection({})),
      'POST /v1/proxies/connections/admin/disconnect': ({ body }) => {
        sent.push(body);
        return { data: [{ id, outcome: 'ENDED' }] };
      },
    },
  });
  await user.click(await screen.findByRole('checkbox', { name: 'Select 198.18.0.9' }));
  expect(screen.getAllByRole('checkbox')).toHaveLength(2);
  await user.click(screen.getByRole('button', { name: 'Disconnect selected' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Disconnect 1 connection?' }));
  expect(dialog.getByRole('listitem').textContent).toBe('198.18.0.9, c@example.com$0.40');
  await user.click(dialog.getByRole('button', { name: 'Disconnect 1 connection' }));
  await screen.findByText('1 connection has ended');
  expect(sent).toEqual([{ ids: [id] }]);
});

it('exports the list as a file that Excel reads as UTF-8', async () => {
  const downloads = catchDownloads();
  const text = 'city,cost\r\nKöln,0.4\r\n';
  const { screen, user } = await openAsStaff('/admin/connections', {
    answers: {
      'GET /v1/proxies/connections/admin': listOf(staffConnection({})),
      'GET /v1/proxies/connections/admin/export': () =>
        new Response(text, { headers: { 'content-disposition': 'attachment' } }),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Export CSV' }));
  await expect.poll(() => downloads[0]?.name).toBe('connections.csv');
  expect(await downloads[0]!.text()).toBe(`\uFEFF${text}`);
});

it('exports the filtered list, and says that too many rows match', async () => {
  const { api, screen, user } = await openAsStaff('/admin/connections?status=WORK', {
    answers: {
      'GET /v1/proxies/connections/admin': listOf(staffConnection({})),
      'GET /v1/proxies/connections/admin/export': refusal(400, 'VALIDATION'),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Export CSV' }));
  expect(await screen.findByText('More than 100,000 rows match. Narrow the filters')).toBeTruthy();
  expect(api.requests).toContain('GET /v1/proxies/connections/admin/export?status=WORK');
});

it('saves the filter under a name, applies it again, and forgets it', { tags: ['thorough'] }, async () => {
  const { screen, user } = await openAsStaff('/admin/connections?status=WORK&page=1', {
    answers: { 'GET /v1/proxies/connections/admin': listOf(staffConnection({})) },
  });
  await user.click(await screen.findByRole('button', { name: 'Save filter' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Save filter' }));
  await user.type(dialog.getByLabelText(/^Name/), 'Open now');
  await user.click(dialog.getByRole('button', { name: 'Save filter' }));
  await user.click(screen.getByRole('button', { name: 'Reset' }));
  await expect.poll(() => window.location.search).toBe('');
  await user.click(screen.getByRole('button', { name: 'Open now' }));
  await expect.poll(() => window.location.search).toBe('?status=WORK');
  await user.click(screen.getByRole('button', { name: 'Delete the filter Open now' }));
  expect(screen.queryByRole('button', { name: 'Open now' })).toBeNull();
});

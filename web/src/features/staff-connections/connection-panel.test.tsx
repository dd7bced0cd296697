import type { StaffConnection } from '@cellhop/contract/staff/connections';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { exampleCharge, exampleConnection } from '../../../test/example-connections.ts';
import { openAsStaff } from '../../../test/open-staff.ts';

const OWNER_ID = '00000000-0000-4000-8000-00000000c001';

function exampleStaffConnection(): StaffConnection {
  const {
    password: _password,
    label: _label,
    ...connection
  } = exampleConnection(7, {
    status: 'NOT_WORK',
    endReason: 'CAP',
    disconnectAt: '2026-11-21T13:30:00.000Z',
    capMegabytes: 60,
  });
  return { ...connection, user: { id: OWNER_ID, email: 'customer@example.com' } };
}

function openConnections(path = '/admin/connections') {
  const connection = exampleStaffConnection();
  return openAsStaff(path, {
    answers: {
      'GET /v1/proxies/connections/admin': { data: [connection], totalPages: 1, isTruncated: false },
      'GET /v1/proxies/connections/admin/*/charges': { data: [exampleCharge], totalPages: 1 },
    },
  });
}

it('says ZIP and type beside the city, and shows all details but no password in a panel that the URL names', async () => {
  const { screen, user } = await openConnections();
  const details = await screen.findByRole('button', { name: 'Details of 198.18.0.7' });
  expect(within(details.closest('tr')!).getByTitle('10115, LTE').textContent).toBe('Berlin');
  await user.click(details);
  const dialog = within(await screen.findByRole('dialog', { name: 'Connection 198.18.0.7' }));
  const facts = ['It reached its traffic limit', 'proxy.example.com:1080', 'zzkpxhpxqykh', '60 MB', OWNER_ID];
  for (const fact of facts) expect(dialog.getByText(fact)).toBeTruthy();
  expect(await dialog.findByText('Purchase, MB 1–50')).toBeTruthy();
  expect(dialog.queryByText(/password/i)).toBeNull();
  expect(window.location.search).toContain('connection=');
});

it('opens the details from a link', async () => {
  const { screen } = await openConnections(`/admin/connections?connection=${exampleStaffConnection().id}`);
  expect(await screen.findByRole('dialog', { name: 'Connection 198.18.0.7' })).toBeTruthy();
});

it('says in the panel who had the address at a time', async () => {
  const { api, screen, user } = await openConnections(`/admin/connections?connection=${exampleStaffConnection().id}`);
  const dialog = within(await screen.findByRole('dialog', { name: 'Connection 198.18.0.7' }));
  const section = within(await dialog.findByRole('region', { name: 'Who had 198.18.0.7' }));
  await user.type(section.getByLabelText('Used at, your time'), '211120261405{Enter}');
  expect(await section.findByRole('link', { name: 'customer@example.com' })).toBeTruthy();
  const at = encodeURIComponent(new Date('2026-11-21T14:05').toISOString());
  expect(api.requests.some((each) => each.includes('ip=198.18.0.7') && each.includes(`at=${at}`))).toBe(true);
});

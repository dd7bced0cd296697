import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { exampleConnection } from '../../../test/example-connections.ts';
import { refusal } from '../../../test/open-app.tsx';
import { openAsStaff } from '../../../test/open-staff.ts';

const connection = {
  ...exampleConnection(7),
  user: { id: '00000000-0000-4000-8000-00000000c001', email: 'customer@example.com' },
};
const answers = {
  'GET /v1/proxies/connections/admin': { data: [connection], totalPages: 1, isTruncated: false },
};

it('traces the connection of a complaint with one click, and refuses its destination with a second', async () => {
  const sent: unknown[] = [];
  const { api, screen, user } = await openAsStaff('/admin/connections', {
    answers: {
      ...answers,
      'POST /v1/proxies/admin/refused-destinations': ({ body }) => {
        sent.push(body);
        if (sent.length === 1) return refusal(400, 'VALIDATION');
        const entry = { id: connection.id, list: null, reason: null, createdAt: '2026-11-01T10:00:00Z' };
        return { data: { ...entry, destination: 'bad.example' } };
      },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Abuse report' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Abuse report' }));
  await user.type(dialog.getByLabelText(/^IP/), '198.18.0.7');
  await user.type(dialog.getByLabelText('Used at, your time'), '211120261405{Enter}');
  await user.type(dialog.getByLabelText('Destination (optional)'), 'bad.example');
  await user.click(dialog.getByRole('button', { name: 'Find the connection' }));
  expect(await dialog.findByRole('link', { name: 'customer@example.com' })).toBeTruthy();
  const at = new Date('2026-11-21T14:05').toISOString();
  expect(api.requests.some((each) => each.includes(`at=${encodeURIComponent(at)}`))).toBe(true);
  await user.click(dialog.getByRole('button', { name: 'Refuse bad.example to all customers' }));
  expect(await dialog.findByText(/Neither a name with a dot/)).toBeTruthy();
  await user.click(dialog.getByRole('button', { name: 'Refuse bad.example to all customers' }));
  expect(await screen.findByText('bad.example is refused')).toBeTruthy();
  expect(sent.at(-1)).toMatchObject({ destination: 'bad.example', complaint: { ip: '198.18.0.7', at } });
});

it('lets who may not refuse destinations trace alone', async () => {
  const { screen, user } = await openAsStaff('/admin/connections', { allowed: ['CONNECTIONS_READ'], answers });
  await user.click(await screen.findByRole('button', { name: 'Abuse report' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Abuse report' }));
  expect(dialog.queryByLabelText('Destination (optional)')).toBeNull();
});

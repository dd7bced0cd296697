import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { refusal } from '../../../test/open-app.tsx';
import { openAsStaff } from '../../../test/open-staff.ts';

const entry = (destination: string, list: string | null) => ({
  id: `00000000-0000-4000-8000-0000000000${destination.length}`,
  destination,
  list,
  reason: list === null ? 'complaint 4711' : null,
  createdAt: '2026-11-01T10:00:00Z',
});
const answers = {
  'GET /v1/proxies/admin/refused-destinations': {
    data: [entry('.bad.example', null), entry('203.0.113.0/24', 'malware')],
    totalPages: 1,
    isTruncated: false,
  },
  'GET /v1/proxies/admin/destination-lists': {
    data: [{ list: 'malware', entries: 1, importedAt: '2026-11-01T10:00:00Z' }],
  },
};

it('refuses a destination with a reason, and says what is wrong with one', { tags: ['thorough'] }, async () => {
  const sent: unknown[] = [];
  const { screen, user } = await openAsStaff('/admin/refused-destinations', {
    answers: {
      ...answers,
      'POST /v1/proxies/admin/refused-destinations': ({ body }) => {
        sent.push(body);
        if (sent.length === 1) return refusal(400, 'VALIDATION');
        return { data: entry('.worse.example', null) };
      },
    },
  });
  const row = within(await screen.findByRole('row', { name: /\.bad\.example/ }));
  expect(row.getByText('Entered by staff')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Refuse a destination' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.type(dialog.getByLabelText(/^Destination/), 'worse');
  await user.type(dialog.getByLabelText(/^Reason/), 'complaint 4712');
  await user.click(dialog.getByRole('button', { name: 'Refuse' }));
  expect(await dialog.findByText(/Neither a name with a dot/)).toBeTruthy();
  await user.clear(dialog.getByLabelText(/^Destination/));
  await user.type(dialog.getByLabelText(/^Destination/), '.worse.example');
  await user.click(dialog.getByRole('button', { name: 'Refuse' }));
  expect(await screen.findByText('.worse.example is refused')).toBeTruthy();
  expect(sent.at(-1)).toEqual({ destination: '.worse.example', reason: 'complaint 4712' });
});

it('imports a file under the name of a list, and names its wrong lines', async () => {
  const { screen, user } = await openAsStaff('/admin/refused-destinations?list=malware', {
    answers: {
      ...answers,
      'POST /v1/proxies/admin/destination-lists': {
        data: { entries: 0, added: 0, removed: 0, errors: [{ line: 2, text: 'not a name' }], errorCount: 1 },
      },
    },
  });
  expect(await screen.findByRole('button', { name: 'Remove the list malware' })).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Import a list' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.upload(dialog.getByLabelText('File'), new File(['a.example\nnot a name'], 'list.txt'));
  await user.click(dialog.getByRole('button', { name: 'Import' }));
  expect(await dialog.findByText('Line 2: not a name')).toBeTruthy();
  expect(dialog.getByText('1 line is no destination, so nothing has changed')).toBeTruthy();
});

it('shows who only reads no buttons', async () => {
  const { screen } = await openAsStaff('/admin/refused-destinations', { allowed: ['PROXIES_READ'], answers });
  await screen.findByRole('row', { name: /\.bad\.example/ });
  for (const name of [/Refuse/, /Import/, /^Remove/]) expect(screen.queryByRole('button', { name })).toBeNull();
});

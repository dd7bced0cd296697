import { expect, it } from 'vitest';
import { openAsStaff } from '../../../test/open-staff.ts';

const id = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;
const period = { from: '2026-11-21T14:03:00.000Z', to: null };
const found = [
  { kind: 'USER', id: id(1), title: 'anna@example.com', detail: '', use: 'CLIENT', period },
  { kind: 'CONNECTION', id: id(2), title: '198.18.0.1', detail: 'boris@example.com', status: 'WORK', period },
  {
    kind: 'PROXY',
    id: id(3),
    title: '198.18.0.1',
    detail: 'NL, Amsterdam',
    place: { countryCode: 'NL', city: 'Amsterdam' },
  },
];

it('asks for a time once the text is an address, and shows why, in which state and when', async () => {
  const { api, screen, user } = await openAsStaff('/admin/approvals', {
    answers: {
      'GET /v1/search/admin': { data: found },
      'GET /v1/approvals/admin/adjustments': { data: [], totalPages: 1 },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Search' }));
  const field = await screen.findByRole('searchbox', { name: 'Search everything' });
  await user.type(field, 'anna@');
  await screen.findByText('3 results');
  expect(screen.queryByLabelText('Who had it at (date and time)')).toBeNull();
  await user.clear(field);
  await user.type(field, '198.18.0.1');
  await user.type(await screen.findByLabelText('Who had it at (date and time)'), '21.11.2026 15:00');
  const at = encodeURIComponent(new Date('2026-11-21T15:00').toISOString());
  await expect.poll(() => api.requests).toContain(`GET /v1/search/admin?text=198.18.0.1&at=${at}`);
  const texts = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(texts.join(' ')).toMatch(/anna@example\.comUses a connection from here · .*21\.11\.2026 .*\u00A0– now/);
  expect(texts.join(' ')).toMatch(/boris@example\.comActive · 21\.11\.2026 .*\u00A0– now/);
  expect(texts).toContain('Proxy198.18.0.1Netherlands, Amsterdam');
});

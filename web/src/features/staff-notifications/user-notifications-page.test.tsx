import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openAsStaff } from '../../../test/open-staff.ts';

const userId = '00000000-0000-4000-8000-00000000c009';

it('shows whose notifications they are, with the way back', async () => {
  const user = { id: userId, email: 'reader@example.com' };
  const { api, screen } = await openAsStaff(`/admin/users/${userId}/notifications`, {
    answers: { 'GET /v1/notifications/admin': { data: [], totalPages: 0, unreadCount: 0, user } },
  });
  const crumbs = within(await screen.findByRole('navigation', { name: 'Breadcrumbs' }));
  await crumbs.findByText('reader@example.com');
  expect(crumbs.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Home',
    'Users',
    'reader@example.com',
    'Notifications',
  ]);
  expect(crumbs.getByRole('link', { name: 'Users' }).getAttribute('href')).toBe('/admin/users');
  expect(document.title).toContain('Notifications');
  expect(api.requests).toContain(`GET /v1/notifications/admin?userId=${userId}&page=1&size=50`);
});

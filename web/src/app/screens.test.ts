import { expect, it } from 'vitest';
import { memberScreens, publicScreens, visitorScreens } from './screens.ts';
import { staffScreens, staffTitle } from './staff/staff-screens.ts';

it('has each path once', () => {
  const paths = [...publicScreens, ...visitorScreens, ...memberScreens, ...staffScreens].map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
});

it('shows the title of the screen above on screens of staff without one', () => {
  const titles = staffScreens
    .filter((screen) => !('title' in screen))
    .map((screen) => [screen.path, staffTitle(screen).en] as const);
  expect(Object.fromEntries(titles)).toEqual({
    '/admin/users/$userId': 'Users',
    '/admin/users/$userId/transactions': 'Users',
    '/admin/users/$userId/notifications': 'Users',
    '/admin/tickets/$ticketId': 'Customer tickets',
    '/admin/tickets/replies': 'Customer tickets',
  });
});

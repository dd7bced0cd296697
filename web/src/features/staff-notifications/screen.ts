import { IconSpeakerphone } from '@tabler/icons-react';
import { pageSearch } from '../../loading/search-values.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const broadcastsScreen = {
  path: '/admin/broadcasts',
  permission: 'MASS_NOTIFICATIONS_READ',
  texts: ['staffContent', 'notification'],
  search: pageSearch,
  title: 'broadcasts',
  Icon: IconSpeakerphone,
} as const satisfies StaffScreenOf<'GET /v1/notifications/admin/broadcasts'>;

export const userNotificationsScreen = {
  path: '/admin/users/$userId/notifications',
  permission: 'NOTIFICATIONS_READ',
  texts: ['staffContent', 'notification'],
  search: pageSearch,
  title: 'users',
} as const satisfies StaffScreenOf<'GET /v1/notifications/admin'>;

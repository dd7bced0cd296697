import { IconSpeakerphone } from '@tabler/icons-react';
import { pageSearch } from '../../loading/search-values.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const broadcastsScreen = {
  path: '/admin/broadcasts',
  permission: 'MASS_NOTIFICATIONS_READ',
  texts: ['staffContent', 'notification'],
  search: pageSearch,
  title: { en: 'Broadcasts', ru: 'Рассылки' },
  Icon: IconSpeakerphone,
} as const satisfies StaffScreenOf<'GET /v1/notifications/admin/broadcasts'>;

export const userNotificationsScreen = {
  path: '/admin/users/$userId/notifications',
  permission: 'NOTIFICATIONS_READ',
  texts: ['staffContent', 'notification'],
  search: pageSearch,
} as const satisfies StaffScreenOf<'GET /v1/notifications/admin'>;

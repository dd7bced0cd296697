import type { Screen } from '../../lib/screen.ts';

export const accountScreen = {
  path: '/account',
  name: 'account',
  isForMembers: true,
  texts: ['user'],
  title: 'account',
} as const satisfies Screen;

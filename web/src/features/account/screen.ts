import type { Screen } from '../../loading/screen.ts';

export const accountScreen = {
  path: '/account',
  texts: ['user'],
  title: 'account',
} as const satisfies Screen;

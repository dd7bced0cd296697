import { IconGift } from '@tabler/icons-react';
import type { Screen } from '../../loading/screen.ts';
import { pageSearch } from '../../loading/search-values.ts';

export const referralScreen = {
  path: '/referral-system',
  texts: ['referralSystem'],
  search: pageSearch,
  title: 'referral',
  Icon: IconGift,
} as const satisfies Screen;

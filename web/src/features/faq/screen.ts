import { IconHelpCircle } from '@tabler/icons-react';
import type { Screen } from '../../loading/screen.ts';

export const faqScreen = {
  path: '/faq',
  texts: ['faq'],
  title: 'faq',
  Icon: IconHelpCircle,
} as const satisfies Screen;

import type { Screen } from '../../loading/screen.ts';

/** The operator's texts, linked in the footer of public pages. */
export const legalScreen = {
  path: '/legal/$document',
  texts: ['legal', 'legalTexts', 'user'],
} as const satisfies Screen;

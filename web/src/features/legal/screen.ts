import type { Screen } from '../../loading/screen.ts';

/** The operator's texts, linked on the landing page. */
export const legalScreen = {
  path: '/legal/$document',
  texts: ['legal', 'legalTexts', 'user'],
} as const satisfies Screen;

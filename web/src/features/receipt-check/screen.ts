import type { Screen } from '../../loading/screen.ts';

/** For everybody who has a receipt: its customer, or their accountant. */
export const receiptCheckScreen = {
  path: '/check-receipt',
  texts: ['receiptCheck'],
} as const satisfies Screen;

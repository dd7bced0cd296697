import type { Screen } from '../loading/screen.ts';
import { textOf } from '../loading/search-values.ts';

/** Links in mails lead to it. */
export const publicMessageScreen = {
  path: '/public-message',
  texts: [],
  search: ({ message }: Record<string, unknown>): { message?: string | undefined } => ({ message: textOf(message) }),
} as const satisfies Screen;

import type { Screen } from '../lib/screen.ts';
import { textOf } from '../lib/search-values.ts';

/** Links in mails lead to it. */
export const publicMessageScreen = {
  path: '/public-message',
  texts: [],
  search: ({ message }: Record<string, unknown>): { message?: string | undefined } => ({ message: textOf(message) }),
} as const satisfies Screen;

import type { Screen } from '../../loading/screen.ts';
import { type Search, textParameter } from '../../loading/search-values.ts';

export const signInScreen = {
  path: '/sign-in',
  texts: ['auth'],
  search: nextSearch,
} as const satisfies Screen;

export const signUpScreen = {
  path: '/sign-up',
  texts: ['auth'],
  search: referralSearch,
} as const satisfies Screen;

export const restoreAccessScreen = {
  path: '/restore-access',
  texts: ['auth'],
} as const satisfies Screen;

export const setPasswordScreen = {
  path: '/restore-access/set-password',
  texts: ['auth'],
  search: codeSearch,
} as const satisfies Screen;

/** The page that required the sign-in. The route of all visitors' pages has validated it (app/next-page.ts). */
function nextSearch({ next }: Search): { next?: string | undefined } {
  return { next: textParameter(next) };
}

export function referralSearch(search: Search): { rc?: string | undefined } {
  return { rc: textParameter(search['rc']) };
}

export function codeSearch(search: Search): { code?: string | undefined } {
  return { code: textParameter(search['code']) };
}

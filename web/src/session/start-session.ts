import type { SignInResult } from '@cellhop/contract/auth';
import { chooseLanguage } from '../i18n/setup.ts';
import { cacheProfile } from './profile.ts';
import { storedValue } from './stored-value.ts';
import { saveTokens } from './tokens.ts';

/** Kept after log-out: with it this browser can sign in even if others try wrong passwords. */
export const deviceToken = storedValue('device-token', (value) => typeof value === 'string');

/** Signs in, in all tabs, with what the API has returned. */
export async function startSession(result: SignInResult): Promise<void> {
  deviceToken.set(result.deviceToken);
  // In all tabs, and after a reload too: mails are in this language.
  await chooseLanguage(result.profile.languageCode);
  saveTokens(result);
  // After the tokens, because cached data belongs to their session.
  cacheProfile(result.profile);
}

import { chooseLanguage } from '../i18n/setup.ts';
import type { Language } from '../i18n/languages.ts';
import { hasTokens } from './tokens.ts';

/** Switches the interface; for a signed-in user also the language of their mails. */
export async function changeLanguage(language: Language): Promise<void> {
  await chooseLanguage(language);
  if (!hasTokens()) return;
  // Loaded on demand, so that visitors do not load the API client.
  const { saveLanguage } = await import('./save-language.ts');
  await saveLanguage(language);
}

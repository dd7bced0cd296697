import type { Language } from '../i18n/languages.ts';
import { showErrorToast } from '../data/error-text.ts';
import { call } from '../data/http.ts';

export async function saveLanguage(languageCode: Language): Promise<void> {
  try {
    await call('PATCH /v1/profile', { body: { languageCode } });
  } catch (error) {
    showErrorToast(error);
  }
}

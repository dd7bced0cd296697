import type { LanguageCode } from './schemas.ts';

export type Confirmation = 'DONE' | 'ALREADY_DONE' | 'TOO_OLD' | 'UNKNOWN';

/** The texts of the page behind a confirmation link. The URL contains the text; the page shows only texts it knows. */
export const confirmationTexts: Record<LanguageCode, Record<Confirmation, string>> = {
  en: {
    DONE: 'Your email is confirmed. You can sign in now.',
    ALREADY_DONE: 'Your email has already been confirmed. You can sign in.',
    TOO_OLD: 'This link has expired. Sign in to get a new one.',
    UNKNOWN: 'This link is not valid. Check that it is complete, or sign in to get a new one.',
  },
  ru: {
    DONE: 'Ваш email подтверждён. Теперь вы можете войти.',
    ALREADY_DONE: 'Ваш email уже подтверждён. Вы можете войти.',
    TOO_OLD: 'Срок действия ссылки истёк. Войдите, чтобы получить новую.',
    UNKNOWN: 'Ссылка недействительна. Проверьте, что она скопирована целиком, или войдите, чтобы получить новую.',
  },
};

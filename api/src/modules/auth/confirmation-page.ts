/** The page behind the link of a confirmation mail. Only its button confirms. */
import { CONFIRM_EMAIL_PATH } from '@cellhop/contract/auth';
import type { LanguageCode } from '@cellhop/contract/schemas';
import { linkPage } from '../../http/link-page.ts';
import type { Brand } from '../../http/logo.ts';

interface Texts {
  title: string;
  text: (brandName: string) => string;
  button: string;
}

const texts: Record<LanguageCode, Texts> = {
  en: {
    title: 'Confirm your email',
    text: (brandName) =>
      `One more step, and your ${brandName} account is ready. If you did not sign up, close this page.`,
    button: 'Confirm email',
  },
  ru: {
    title: 'Подтвердите email',
    text: (brandName) =>
      `Ещё один шаг, и ваш аккаунт ${brandName} готов. Если вы не регистрировались, закройте эту страницу.`,
    button: 'Подтвердить email',
  },
};

/** @param code of the link, which anybody may have written */
export function confirmationPage(languageCode: LanguageCode, brand: Brand, code: string): string {
  const { title, text, button } = texts[languageCode];
  const form = { path: CONFIRM_EMAIL_PATH, fields: { code }, button };
  return linkPage(languageCode, brand, { title, text: text(brand.brandName), form });
}

/** The pages behind the link of the mail about a reset of the second factor. Only the button stops it. */
import { SECOND_FACTOR_RESET_PATH } from '@cellhop/contract/auth';
import type { LanguageCode } from '@cellhop/contract/schemas';
import { linkPage } from '../../http/link-page.ts';
import type { Brand } from '../../http/logo.ts';

type Page = 'question' | 'stopped' | 'unknown';

const texts: Record<LanguageCode, Record<Page, { title: string; text: string }> & { button: string }> = {
  en: {
    question: {
      title: 'Keep two-factor sign-in?',
      text: 'Support was asked to turn off two-factor sign-in of your account. If it was not you, stop this, and set a new password.',
    },
    button: 'Keep two-factor sign-in',
    stopped: {
      title: 'Two-factor sign-in stays on',
      text: 'The reset is stopped. Support can see that you stopped it.',
    },
    unknown: {
      title: 'There is nothing to stop',
      text: 'The reset was stopped before, or it has taken place. Check two-factor sign-in in your account.',
    },
  },
  ru: {
    question: {
      title: 'Оставить двухфакторный вход?',
      text: 'Поддержку попросили выключить двухфакторный вход в ваш аккаунт. Если это были не вы, отмените это и задайте новый пароль.',
    },
    button: 'Оставить двухфакторный вход',
    stopped: {
      title: 'Двухфакторный вход остаётся включённым',
      text: 'Просьба отменена. Поддержка видит, что её отменили вы.',
    },
    unknown: {
      title: 'Останавливать нечего',
      text: 'Отключение уже остановлено или уже произошло. Проверьте двухфакторный вход в своём аккаунте.',
    },
  },
};

/** @param code of the link, which anybody may have written: for the button of the question */
export function secondFactorResetPage(languageCode: LanguageCode, brand: Brand, page: Page, code: string): string {
  const { [page]: shown, button } = texts[languageCode];
  const form = { path: SECOND_FACTOR_RESET_PATH, fields: { code }, button };
  return linkPage(languageCode, brand, { ...shown, ...(page === 'question' && { form }) });
}

import type { LanguageCode } from '@cellhop/contract/schemas';
import type { MailTemplate } from './templates.ts';

interface MailTexts {
  subject(brandName: string): string;
  title: string;
  intro(brandName: string): string;
  button: string;
  lifetime: string;
  ignore: string;
}

type LanguageTexts = Record<MailTemplate, MailTexts> & {
  /** Before the bare link, for readers of mail that show no button. */
  fallback: string;
  footer(brandName: string): string;
};

export const mailTexts: Record<LanguageCode, LanguageTexts> = {
  en: {
    fallback: 'If the button does not work, open this link:',
    footer: (brandName) => `This mail was sent by ${brandName}. Please do not answer it.`,
    'confirm-email': {
      subject: (brandName) => `Confirm your email for ${brandName}`,
      title: 'Confirm your email',
      intro: (brandName) => `Thank you for signing up with ${brandName}. Open this link to confirm your email:`,
      button: 'Confirm email',
      lifetime: 'The link works for 24 hours.',
      ignore: 'If you have not signed up, you can ignore this mail.',
    },
    'recover-password': {
      subject: (brandName) => `Set a new password for ${brandName}`,
      title: 'Set a new password',
      intro: (brandName) => `Somebody asked for a new password of your ${brandName} account. Open this link to set it:`,
      button: 'Set new password',
      lifetime: 'The link works once, for 30 minutes. All devices will be signed out.',
      ignore: 'If it was not you, ignore this mail: your password stays as it is.',
    },
  },
  ru: {
    fallback: 'Если кнопка не работает, откройте эту ссылку:',
    footer: (brandName) => `Это письмо отправлено сервисом ${brandName}. Пожалуйста, не отвечайте на него.`,
    'confirm-email': {
      subject: (brandName) => `Подтвердите адрес для ${brandName}`,
      title: 'Подтвердите адрес электронной почты',
      intro: (brandName) => `Спасибо за регистрацию в ${brandName}. Чтобы подтвердить адрес, откройте ссылку:`,
      button: 'Подтвердить адрес',
      lifetime: 'Ссылка действует 24 часа.',
      ignore: 'Если вы не регистрировались, просто не обращайте внимания на это письмо.',
    },
    'recover-password': {
      subject: (brandName) => `Новый пароль для ${brandName}`,
      title: 'Задайте новый пароль',
      intro: (brandName) =>
        `Кто-то запросил новый пароль для вашей учётной записи ${brandName}. Чтобы задать его, откройте ссылку:`,
      button: 'Задать новый пароль',
      lifetime: 'Ссылка сработает один раз, в течение 30 минут. Вход на всех устройствах будет завершён.',
      ignore: 'Если это были не вы, не обращайте внимания на письмо: пароль останется прежним.',
    },
  },
};

import type { LanguageCode } from '@cellhop/contract/schemas';
import { UNKNOWN_DEVICE } from '../http/requester.ts';
import type { MailTemplate } from './templates.ts';

interface MailTexts {
  subject(brandName: string): string;
  title: string;
  /** @param ended what an email about ended connections says of them */
  intro(brandName: string, ended: { areMany: boolean; idleTime: string }): string;
  /** Paragraphs between the intro and the link, and after the link. */
  beforeLink: string[];
  button: string;
  afterLink: string[];
}

type LanguageTexts = Record<MailTemplate, MailTexts> & {
  facts: {
    time: string;
    device: string;
    address: string;
    unknownAddress: string;
    /** The label of a device is English: "Firefox on Windows". */
    deviceName(label: string): string;
    balance: string;
    proxy: string;
    traffic: string;
    trafficOfCap(usedMegabytes: string, capMegabytes: string): string;
    withOthers(ip: string, otherCount: number): string;
    refund: string;
  };
  /** Precedes the plain link, for mail clients that show no button. */
  fallback: string;
  footer(brandName: string): string;
  /** Why the customer gets news by email; a link to the setting follows. */
  newsReason(brandName: string): string;
};

export const mailTexts: Record<LanguageCode, LanguageTexts> = {
  en: {
    fallback: 'If the button does not work, open this link:',
    newsReason: (brandName) => `You get this as a customer of ${brandName}. Stop such emails:`,
    footer: (brandName) => `This email was sent by ${brandName}. Please do not reply.`,
    facts: {
      time: 'Time',
      device: 'Device',
      address: 'Address',
      unknownAddress: 'unknown',
      deviceName: (label) => label,
      balance: 'Balance',
      proxy: 'Proxy',
      traffic: 'Used traffic',
      trafficOfCap: (usedMegabytes, capMegabytes) => `${usedMegabytes} of ${capMegabytes} MB`,
      withOthers: (ip, otherCount) => `${ip} and ${otherCount} more`,
      refund: 'Refunded',
    },
    'confirm-email': {
      subject: (brandName) => `Confirm your email for ${brandName}`,
      title: 'Confirm your email',
      intro: (brandName) => `Thank you for signing up with ${brandName}. Open this link to confirm your address:`,
      beforeLink: [],
      button: 'Confirm email',
      afterLink: ['The link works for 24 hours.', 'If you did not sign up, ignore this email.'],
    },
    'recover-password': {
      subject: (brandName) => `Set a new password for ${brandName}`,
      title: 'Set a new password',
      intro: (brandName) =>
        `Someone asked to reset the password of your ${brandName} account. Open this link to set a new one:`,
      beforeLink: [],
      button: 'Set new password',
      afterLink: [
        'The link can be used once, within 30 minutes. You will be signed out on all devices.',
        'If it was not you, ignore this email: your password stays the same.',
      ],
    },
    'second-factor-reset': {
      subject: (brandName) => `Two-factor sign-in to ${brandName} will be turned off`,
      title: 'Two-factor sign-in will be turned off',
      intro: (brandName) =>
        `Someone told the support of ${brandName} that you have lost your authenticator app and your recovery codes. Two-factor sign-in of your account will be turned off in 24 hours.`,
      beforeLink: [
        'If it was you, you do not need to do anything. If it was not, stop it with this link, or sign in with a code of your app:',
      ],
      button: 'Keep two-factor sign-in',
      afterLink: ['Whoever asked for it may know your password: set a new one.'],
    },
    'password-changed': {
      subject: (brandName) => `Your ${brandName} password was changed`,
      title: 'Your password was changed',
      intro: (brandName) => `The password of your ${brandName} account was changed:`,
      beforeLink: [
        'If it was you, you do not need to do anything. If it was not, restore access to your account now with this link:',
      ],
      button: 'Restore access',
      afterLink: ['Setting a new password signs you out on all devices.'],
    },
    'new-sign-in': {
      subject: (brandName) => `New sign-in to ${brandName}`,
      title: 'New sign-in',
      intro: (brandName) => `Someone signed in to your ${brandName} account from a new device or network:`,
      beforeLink: [
        'If it was you, you do not need to do anything. If it was not, someone knows your password. Set a new one with this link:',
      ],
      button: 'Restore access',
      afterLink: ['Setting a new password signs you out on all devices.'],
    },
    'low-balance': {
      subject: (brandName) => `Your ${brandName} balance is low`,
      title: 'Your balance is low',
      intro: (brandName) => `The balance of your ${brandName} account is low:`,
      beforeLink: ['When it runs out, your connections end.'],
      button: 'Top up',
      afterLink: ['You can change or turn off this alert in your account settings.'],
    },
    'near-cap': {
      subject: (brandName) => `A ${brandName} connection has nearly reached its traffic limit`,
      title: 'Traffic limit nearly reached',
      intro: (brandName) => `One of your ${brandName} connections has used most of its traffic limit:`,
      beforeLink: ['It ends when it reaches the limit. You can raise the limit or remove it.'],
      button: 'Show the connection',
      afterLink: ['You can turn off these emails in your account settings.'],
    },
    'no-money': {
      subject: (brandName) => `Your ${brandName} balance has run out`,
      title: 'Your balance has run out',
      intro: (brandName) => `The balance of your ${brandName} account has run out, so this has ended:`,
      beforeLink: ['Top up to buy proxies again.'],
      button: 'Top up',
      afterLink: ['You can turn off these emails in your account settings.'],
    },
    'ended-idle': {
      subject: (brandName) => `A ${brandName} connection ended: no traffic`,
      title: 'Disconnected: no traffic',
      intro: (_, { areMany, idleTime }) =>
        areMany
          ? `We closed these connections because they had no traffic for ${idleTime}:`
          : `We closed this connection because it had no traffic for ${idleTime}:`,
      beforeLink: ['An ended connection costs nothing more. You can buy the proxy again if it is free.'],
      button: 'Show connections',
      afterLink: ['You can turn off these emails in your account settings.'],
    },
    'ended-exit-lost': {
      subject: (brandName) => `A ${brandName} connection ended: the proxy went offline`,
      title: 'Disconnected: the proxy went offline',
      intro: (brandName) => `The device behind a proxy went offline, so ${brandName} has ended:`,
      beforeLink: ['The unused part of the first 50 MB is always refunded. You can buy another proxy now.'],
      button: 'Show connections',
      afterLink: ['You can turn off these emails in your account settings.'],
    },
    'database-restored': {
      subject: (brandName) => `The database of ${brandName} was restored`,
      title: 'The database was restored to an earlier time',
      intro: (brandName) =>
        `The database of ${brandName} does not know addresses that customers were shown, so it was restored to an earlier time. No invoice is created until an operator has run the command restored.`,
      beforeLink: ['You get this because you see the state of the system.'],
      button: 'Open the dashboard',
      afterLink: [],
    },
  },
  ru: {
    fallback: 'Если кнопка не работает, откройте эту ссылку:',
    newsReason: (brandName) => `Вы клиент ${brandName}, поэтому получили это письмо. Отказаться от таких писем:`,
    footer: (brandName) => `Это письмо отправлено сервисом ${brandName}. Пожалуйста, не отвечайте на него.`,
    facts: {
      time: 'Время',
      device: 'Устройство',
      address: 'Адрес',
      unknownAddress: 'неизвестен',
      deviceName: (label) => (label === UNKNOWN_DEVICE ? 'неизвестное' : label.replace(' on ', ', ')),
      balance: 'Баланс',
      proxy: 'Прокси',
      traffic: 'Израсходовано',
      trafficOfCap: (usedMegabytes, capMegabytes) => `${usedMegabytes} из ${capMegabytes} МБ`,
      withOthers: (ip, otherCount) => `${ip} и ещё ${otherCount}`,
      refund: 'Возвращено',
    },
    'confirm-email': {
      subject: (brandName) => `Подтвердите email для ${brandName}`,
      title: 'Подтвердите email',
      intro: (brandName) => `Спасибо за регистрацию в ${brandName}. Чтобы подтвердить email, откройте ссылку:`,
      beforeLink: [],
      button: 'Подтвердить email',
      afterLink: [
        'Ссылка действует 24 часа.',
        'Если вы не регистрировались, просто не обращайте внимания на это письмо.',
      ],
    },
    'recover-password': {
      subject: (brandName) => `Новый пароль для ${brandName}`,
      title: 'Задайте новый пароль',
      intro: (brandName) =>
        `Кто-то запросил новый пароль для вашего аккаунта ${brandName}. Чтобы задать его, откройте ссылку:`,
      beforeLink: [],
      button: 'Задать новый пароль',
      afterLink: [
        'Ссылка действует 30 минут, её можно использовать один раз. На всех устройствах потребуется войти заново.',
        'Если это были не вы, не обращайте внимания на письмо: пароль останется прежним.',
      ],
    },
    'second-factor-reset': {
      subject: (brandName) => `Двухфакторный вход в ${brandName} будет отключён`,
      title: 'Двухфакторный вход будет отключён',
      intro: (brandName) =>
        `Поддержке ${brandName} сообщили, что вы потеряли приложение для кодов и коды восстановления. Через 24 часа двухфакторный вход в ваш аккаунт будет отключён.`,
      beforeLink: [
        'Если это были вы, ничего делать не нужно. Если нет, остановите отключение по этой ссылке или войдите с кодом приложения:',
      ],
      button: 'Оставить двухфакторный вход',
      afterLink: ['Тот, кто об этом попросил, может знать ваш пароль: задайте новый.'],
    },
    'password-changed': {
      subject: (brandName) => `Пароль для ${brandName} изменён`,
      title: 'Ваш пароль изменён',
      intro: (brandName) => `Пароль вашего аккаунта ${brandName} был изменён:`,
      beforeLink: [
        'Если это сделали вы, ничего делать не нужно. Если нет, сразу восстановите доступ к аккаунту по этой ссылке:',
      ],
      button: 'Восстановить доступ',
      afterLink: ['После смены пароля на всех устройствах потребуется войти заново.'],
    },
    'new-sign-in': {
      subject: (brandName) => `Новый вход в ${brandName}`,
      title: 'Новый вход',
      intro: (brandName) => `В ваш аккаунт ${brandName} вошли с нового устройства или из новой сети:`,
      beforeLink: [
        'Если это были вы, ничего делать не нужно. Если нет, кто-то знает ваш пароль: задайте новый по этой ссылке:',
      ],
      button: 'Восстановить доступ',
      afterLink: ['После смены пароля на всех устройствах потребуется войти заново.'],
    },
    'low-balance': {
      subject: (brandName) => `Мало средств на балансе ${brandName}`,
      title: 'На балансе мало средств',
      intro: (brandName) => `На балансе вашего аккаунта ${brandName} осталось мало средств:`,
      beforeLink: ['Когда они закончатся, подключения завершатся.'],
      button: 'Пополнить баланс',
      afterLink: ['Изменить или отключить это оповещение можно в настройках аккаунта.'],
    },
    'near-cap': {
      subject: (brandName) => `Лимит трафика подключения ${brandName} почти исчерпан`,
      title: 'Лимит трафика почти исчерпан',
      intro: (brandName) => `Одно из ваших подключений ${brandName} израсходовало большую часть лимита трафика:`,
      beforeLink: ['При достижении лимита оно завершится. Лимит можно увеличить или убрать.'],
      button: 'Открыть подключение',
      afterLink: ['Отключить такие письма можно в настройках аккаунта.'],
    },
    'no-money': {
      subject: (brandName) => `Средства на балансе ${brandName} закончились`,
      title: 'Средства на балансе закончились',
      intro: (brandName) => `На балансе вашего аккаунта ${brandName} закончились средства. Отключено:`,
      beforeLink: ['Пополните баланс, чтобы снова покупать прокси.'],
      button: 'Пополнить баланс',
      afterLink: ['Отключить такие письма можно в настройках аккаунта.'],
    },
    'ended-idle': {
      subject: (brandName) => `Подключение ${brandName} завершено: нет трафика`,
      title: 'Отключено: нет трафика',
      intro: (_, { areMany, idleTime }) =>
        `Мы завершили ${areMany ? 'подключения' : 'подключение'}, потому что ${idleTime} не было трафика:`,
      beforeLink: [
        'За завершённое подключение больше ничего не списывается. Если прокси свободен, его можно купить снова.',
      ],
      button: 'Открыть подключения',
      afterLink: ['Отключить такие письма можно в настройках аккаунта.'],
    },
    'ended-exit-lost': {
      subject: (brandName) => `Подключение ${brandName} завершено: прокси отключился от сети`,
      title: 'Отключено: прокси отключился от сети',
      intro: (brandName) => `Устройство прокси отключилось от сети, поэтому ${brandName} завершил подключение:`,
      beforeLink: ['Неиспользованная часть первых 50 МБ всегда возвращается. Можно сразу купить другой прокси.'],
      button: 'Открыть подключения',
      afterLink: ['Отключить такие письма можно в настройках аккаунта.'],
    },
    'database-restored': {
      subject: (brandName) => `База данных ${brandName} восстановлена`,
      title: 'База данных восстановлена на более ранний момент',
      intro: (brandName) =>
        `База данных ${brandName} не знает адресов, которые были показаны клиентам: она восстановлена на более ранний момент. Счета не создаются, пока оператор не выполнит команду restored.`,
      beforeLink: ['Вы получили это письмо, потому что видите состояние системы.'],
      button: 'Открыть панель',
      afterLink: [],
    },
  },
};

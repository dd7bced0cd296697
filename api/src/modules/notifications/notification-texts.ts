/** Kinds of notifications and their texts in each language: HTML with the allowed tags. */
import type { EndReason } from '@cellhop/contract/connections';
import type { ReferralLevel } from '@cellhop/contract/referrals.values';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { NotificationText } from '@cellhop/contract/staff/notifications';
import type { RequestList } from '@cellhop/contract/staff/lists.values';
import { balanceText, countText, totalText } from '@cellhop/contract/number-texts';
import { escapeHtml } from '../../mail/layout.ts';

/** The stored details of each kind. Amounts are US dollars. */
interface NotificationDetails {
  TOP_UP: { amount: number };
  /** A payment in a stablecoin that has lost its peg. */
  TOP_UP_HELD: Record<string, never>;
  /** The block of the payment has left the chain. */
  TOP_UP_REVERSED: { amount: number };
  TOP_UP_RESTORED: { amount: number };
  /** Signed. */
  ADJUSTMENT: { amount: number };
  /** By staff. */
  CONNECTION_REFUNDED: { ip: string; amount: number };
  CONNECTION_ENDED: { ip: string; reason: Exclude<EndReason, 'USER'>; refund: number };
  /** The customer has asked for another proxy in its place, and none was bought. */
  NOT_REPLACED: { ip: string; isOutOfMoney: boolean; refund: number };
  LOW_BALANCE: { balance: number };
  /** The traffic cap of a connection is nearly used up. */
  NEAR_CAP: { connectionId: string; ip: string; usedMegabytes: number; capMegabytes: number };
  REFERRAL_BONUS: { amount: number; percent: number };
  LEVEL_CHANGED: { level: ReferralLevel; percent: number; isHigher: boolean };
  TICKET_ANSWER: { ticketId: string; name: string };
  TICKET_OPENED: { ticketId: string; name: string };
  TICKET_CLOSED: { ticketId: string; name: string };
  /** For those who can approve a request of staff. */
  APPROVAL_REQUESTED: { amount: number; list: RequestList };
  /** A member of staff sees the app as the user. */
  ACCOUNT_VIEWED: Record<string, never>;
  /** A message of staff to one user: sanitized HTML in one language. */
  MESSAGE: NotificationText;
}
type NotificationKind = keyof NotificationDetails;

export type NotificationEvent = {
  [Kind in NotificationKind]: { kind: Kind; details: NotificationDetails[Kind] };
}[NotificationKind];

type Texts = { [Kind in NotificationKind]: (details: NotificationDetails[Kind]) => NotificationText };

type Describe = (details: NotificationEvent['details']) => NotificationText;

/** A newer release may have stored kinds that this one does not know. */
const unknownKindTexts: Record<LanguageCode, NotificationText> = {
  en: { description: 'There is a new notification. Reload the page in a few minutes to read it.' },
  ru: { description: 'Пришло новое уведомление. Обновите страницу через несколько минут, чтобы его прочитать.' },
};

export function renderNotification(languageCode: LanguageCode, { kind, details }: NotificationEvent): NotificationText {
  // TypeScript does not correlate the kind with its details here.
  const describe = notificationTexts[languageCode][kind] as Describe | undefined;
  return describe?.(details) ?? unknownKindTexts[languageCode];
}

function money(dollars: number): string {
  return `<b>${totalText('en', dollars)}</b>`;
}

function russianDollars(dollars: number): string {
  return `<b>${totalText('ru', dollars)}</b>`;
}

function link(path: string, text: string): string {
  return `<a href="${escapeHtml(path)}">${text}</a>`;
}

const TICKET_NAME_SHOWN_MAX = 80;

/** Truncates by grapheme clusters, so that an emoji is never cut. */
function ticketLink(ticketId: string, name: string): string {
  const characters = Array.from(new Intl.Segmenter().segment(name), ({ segment }) => segment);
  const isLong = characters.length > TICKET_NAME_SHOWN_MAX;
  const shown = isLong ? `${characters.slice(0, TICKET_NAME_SHOWN_MAX).join('').trimEnd()}…` : name;
  return link(`/support/tickets/${ticketId}`, escapeHtml(shown));
}

const levelNames: Record<ReferralLevel, string> = {
  BASIC: 'Basic',
  SILVER: 'Silver',
  GOLD: 'Gold',
  PLATINUM: 'Platinum',
  PARTNER: 'Partner',
};

export function trialText(languageCode: LanguageCode, dollars: number): NotificationText {
  return languageCode === 'ru'
    ? {
        description: `Добро пожаловать! Пробный бонус ${russianDollars(dollars)} уже на балансе.`,
        content: `${link('/proxies', 'Выберите прокси')} и попробуйте сервис.`,
      }
    : {
        description: `Welcome! Your trial credit of ${money(dollars)} is on your balance.`,
        content: `${link('/proxies', 'Choose a proxy')} and give it a try.`,
      };
}

const notificationTexts: Record<LanguageCode, Texts> = {
  en: {
    TOP_UP: ({ amount }) => ({ description: `${money(amount)} has been credited to your balance.` }),
    TOP_UP_HELD: () => ({
      description: 'Your payment in USDT has arrived and is on hold: USDT does not trade at one dollar now.',
      content:
        'It is credited as soon as USDT is worth one dollar again. If you do not want to wait, write to support.',
    }),
    TOP_UP_REVERSED: ({ amount }) => ({
      description: `The network has dropped your payment of ${money(amount)}. The credit was reversed.`,
      content: 'If the payment is in your wallet again, send it once more. If not, write to support.',
    }),
    TOP_UP_RESTORED: ({ amount }) => ({
      description: `The network has confirmed your payment of ${money(amount)} again. The credit is restored.`,
    }),
    ADJUSTMENT: ({ amount }) => ({
      description:
        amount > 0
          ? `The support team has adjusted your balance: ${money(amount)} has been added.`
          : `The support team has adjusted your balance: ${money(-amount)} has been deducted.`,
      content: `See your ${link('/transactions', 'transactions')}. If you have questions, open a ticket.`,
    }),
    CONNECTION_REFUNDED: ({ ip, amount }) => ({
      description: `The support team has refunded ${money(amount)} for your connection to ${ip}.`,
      content: `See your ${link('/transactions', 'transactions')}. If you have questions, open a ticket.`,
    }),
    CONNECTION_ENDED: ({ ip, reason, refund }) => ({
      description: `Proxy ${link('/connection-history', escapeHtml(ip))} has been disconnected: ${
        {
          IDLE: 'there was no traffic for too long.',
          NO_MONEY: 'your balance ran out.',
          EXIT_LOST: 'its device went offline.',
          CAP: 'it reached its traffic limit.',
          ADMIN: 'the support team ended the connection.',
        }[reason]
      }`,
      ...(refund > 0 && { content: `${money(refund)} for unused traffic has been refunded to your balance.` }),
    }),
    NOT_REPLACED: ({ ip, isOutOfMoney, refund }) => ({
      description: `Proxy ${link('/connection-history', escapeHtml(ip))} has been disconnected without a replacement: ${
        isOutOfMoney ? 'your balance no longer covers one.' : 'the last free proxy of its kind has just been sold.'
      }`,
      content: `${refund > 0 ? `${money(refund)} for unused traffic has been refunded to your balance. ` : ''}${
        isOutOfMoney ? link('/payments/invoices?create=true', 'Top up') : link('/proxies', 'Choose another proxy')
      }.`,
    }),
    LOW_BALANCE: ({ balance }) => ({
      description: `Your balance is low: <b>${balanceText('en', balance)}</b>.`,
      content: `${link('/payments/invoices?create=true', 'Top up')} to keep your connections running.`,
    }),
    NEAR_CAP: ({ connectionId, ip, usedMegabytes, capMegabytes }) => ({
      description: `Proxy ${link(`/connection-history?connection=${connectionId}`, escapeHtml(ip))} has used <b>${countText('en', usedMegabytes)} MB</b> of its traffic limit of ${countText('en', capMegabytes)} MB.`,
      content: 'It is disconnected at the limit. Raise the limit to keep it running.',
    }),
    REFERRAL_BONUS: ({ amount, percent }) => ({
      description: `Referral bonus: ${money(amount)}, ${percent}% of a top-up by your referral.`,
    }),
    LEVEL_CHANGED: ({ level, percent, isHigher }) => ({
      description: `Your ${link('/referral-system', 'referral level')} is now <b>${levelNames[level]}</b>.`,
      content:
        percent === 0
          ? 'There is no bonus this month. One referral top-up brings it back next month.'
          : `${isHigher ? 'Well done! This' : 'This'} month you get ${percent}% of each referral top-up.`,
    }),
    TICKET_ANSWER: ({ ticketId, name }) => ({
      description: `The support team has replied to your ticket ${ticketLink(ticketId, name)}.`,
    }),
    TICKET_OPENED: ({ ticketId, name }) => ({
      description: `The support team has opened a ticket for you: ${ticketLink(ticketId, name)}.`,
    }),
    TICKET_CLOSED: ({ ticketId, name }) => ({
      description: `The support team has closed your ticket ${ticketLink(ticketId, name)}.`,
    }),
    APPROVAL_REQUESTED: ({ amount, list }) => ({
      description: `A request for ${money(amount)} is waiting for ${link(`/admin/approvals?kind=${list}`, 'your approval')}.`,
    }),
    ACCOUNT_VIEWED: () => ({
      description: 'The support team is viewing your account.',
      content: 'They see what you see, except your proxy passwords, and cannot change anything.',
    }),
    MESSAGE: (text) => text,
  },
  ru: {
    TOP_UP: ({ amount }) => ({ description: `На ваш баланс зачислено ${russianDollars(amount)}.` }),
    TOP_UP_HELD: () => ({
      description: 'Ваш платёж в USDT получен, но пока не зачислен: сейчас USDT стоит не один доллар.',
      content:
        'Он будет зачислен, как только USDT снова будет стоить один доллар. Если не хотите ждать, напишите в поддержку.',
    }),
    TOP_UP_REVERSED: ({ amount }) => ({
      description: `Сеть отменила ваш платёж на ${russianDollars(amount)}. Зачисление отменено.`,
      content: 'Если средства вернулись в ваш кошелёк, отправьте их ещё раз. Если нет, напишите в поддержку.',
    }),
    TOP_UP_RESTORED: ({ amount }) => ({
      description: `Сеть снова подтвердила ваш платёж на ${russianDollars(amount)}. Зачисление восстановлено.`,
    }),
    ADJUSTMENT: ({ amount }) => ({
      description:
        amount > 0
          ? `Служба поддержки скорректировала ваш баланс: зачислено ${russianDollars(amount)}.`
          : `Служба поддержки скорректировала ваш баланс: списано ${russianDollars(-amount)}.`,
      content: `Корректировка есть в ${link('/transactions', 'списке операций')}. Если есть вопросы, создайте обращение.`,
    }),
    CONNECTION_REFUNDED: ({ ip, amount }) => ({
      description: `Служба поддержки вернула ${russianDollars(amount)} за ваше подключение к ${ip}.`,
      content: `Возврат есть в ${link('/transactions', 'списке операций')}. Если есть вопросы, создайте обращение.`,
    }),
    CONNECTION_ENDED: ({ ip, reason, refund }) => ({
      description: `Прокси ${link('/connection-history', escapeHtml(ip))} отключён: ${
        {
          IDLE: 'слишком долго не было трафика.',
          NO_MONEY: 'закончились средства на балансе.',
          EXIT_LOST: 'его устройство отключилось от сети.',
          CAP: 'достигнут лимит трафика.',
          ADMIN: 'подключение завершила служба поддержки.',
        }[reason]
      }`,
      ...(refund > 0 && { content: `${russianDollars(refund)} за неиспользованный трафик возвращены на баланс.` }),
    }),
    NOT_REPLACED: ({ ip, isOutOfMoney, refund }) => ({
      description: `Прокси ${link('/connection-history', escapeHtml(ip))} отключён, но не заменён: ${
        isOutOfMoney ? 'на балансе не хватает средств.' : 'последний такой свободный прокси только что продан.'
      }`,
      content: `${refund > 0 ? `${russianDollars(refund)} за неиспользованный трафик возвращены на баланс. ` : ''}${
        isOutOfMoney
          ? link('/payments/invoices?create=true', 'Пополните баланс')
          : link('/proxies', 'Выберите другой прокси')
      }.`,
    }),
    LOW_BALANCE: ({ balance }) => ({
      description: `На балансе мало средств: <b>${balanceText('ru', balance)}</b>.`,
      content: `${link('/payments/invoices?create=true', 'Пополните баланс')}, чтобы подключения не прервались.`,
    }),
    NEAR_CAP: ({ connectionId, ip, usedMegabytes, capMegabytes }) => ({
      description: `Прокси ${link(`/connection-history?connection=${connectionId}`, escapeHtml(ip))} израсходовал <b>${countText('ru', usedMegabytes)} МБ</b> из лимита трафика ${countText('ru', capMegabytes)} МБ.`,
      content: 'При достижении лимита он отключится. Увеличьте лимит, чтобы он продолжал работать.',
    }),
    REFERRAL_BONUS: ({ amount, percent }) => ({
      description: `Реферальный бонус: ${russianDollars(amount)}, ${percent}% от пополнения вашего реферала.`,
    }),
    LEVEL_CHANGED: ({ level, percent, isHigher }) => ({
      description: `Ваш ${link('/referral-system', 'реферальный уровень')} теперь <b>${levelNames[level]}</b>.`,
      content:
        percent === 0
          ? 'В этом месяце бонуса нет. Одно пополнение реферала вернёт его в следующем.'
          : `${isHigher ? 'Поздравляем! В' : 'В'} этом месяце каждое пополнение ваших рефералов приносит вам ${percent}%.`,
    }),
    TICKET_ANSWER: ({ ticketId, name }) => ({
      description: `Служба поддержки ответила на обращение ${ticketLink(ticketId, name)}.`,
    }),
    TICKET_OPENED: ({ ticketId, name }) => ({
      description: `Служба поддержки создала для вас обращение ${ticketLink(ticketId, name)}.`,
    }),
    TICKET_CLOSED: ({ ticketId, name }) => ({
      description: `Служба поддержки закрыла обращение ${ticketLink(ticketId, name)}.`,
    }),
    APPROVAL_REQUESTED: ({ amount, list }) => ({
      description: `Заявка на ${russianDollars(amount)} ждёт ${link(`/admin/approvals?kind=${list}`, 'вашего согласования')}.`,
    }),
    ACCOUNT_VIEWED: () => ({
      description: 'Служба поддержки просматривает ваш аккаунт.',
      content: 'Она видит то же, что и вы, кроме паролей прокси, и ничего не может изменить.',
    }),
    MESSAGE: (text) => text,
  },
};

import { confirmationTexts } from '@cellhop/contract/confirmation-texts';

/** Longer texts are cut: no sentence of ours is as long. */
const SHOWN_CHARACTERS_MAX = 200;

/** What else the product specification says about links of mails, in each language. */
const specified = [
  'Email has already been confirmed',
  'Email уже подтверждён',
  'Email is not confirmed',
  'Email не подтверждён',
  'Link has expired',
  'Срок действия ссылки истёк',
  'No recovery session found',
  'Запрос на восстановление не найден',
  'Account not found',
  'Аккаунт не найден',
];

const ownMessages: ReadonlySet<string> = new Set([
  ...Object.values(confirmationTexts).flatMap((texts) => Object.values(texts)),
  ...specified,
]);

/** Anybody can write a link to our page: only sentences of ours may look as if they were. */
export function isOwnMessage(message: string): boolean {
  return ownMessages.has(message);
}

/** In one line and of a bounded length. */
export function shortenMessage(message: string): string {
  // Twice as many, because one character can take two places.
  const characters = Array.from(message.slice(0, 2 * SHOWN_CHARACTERS_MAX).replaceAll(/[\s\p{C}]+/gu, ' '));
  const isCut = message.length > 2 * SHOWN_CHARACTERS_MAX || characters.length > SHOWN_CHARACTERS_MAX;
  return isCut ? `${characters.slice(0, SHOWN_CHARACTERS_MAX - 1).join('')}…` : characters.join('');
}

import { confirmationTexts } from '@cellhop/contract/confirmation-texts';

/** Longer messages are truncated; ours are shorter. */
const MAX_CHARACTERS = 200;

/** Other messages of mail links in the product specification, in each language. */
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

const knownMessages: ReadonlySet<string> = new Set([
  ...Object.values(confirmationTexts).flatMap((texts) => Object.values(texts)),
  ...specified,
]);

const confirmed: ReadonlySet<string> = new Set(
  Object.values(confirmationTexts).flatMap(({ DONE, ALREADY_DONE }) => [DONE, ALREADY_DONE]),
);

/** Whether the page should lead to sign-in: the address is confirmed. */
export function isConfirmation(message: string): boolean {
  return confirmed.has(message);
}

/** Anyone can create a link to our page with any message, so only our own messages are shown as ours. */
export function isKnownMessage(message: string): boolean {
  return knownMessages.has(message);
}

/** On one line and of limited length. */
export function truncateMessage(message: string): string {
  // Twice as many, because a character can take two UTF-16 code units.
  const characters = Array.from(message.slice(0, 2 * MAX_CHARACTERS).replaceAll(/[\s\p{C}]+/gu, ' '));
  const isTruncated = message.length > 2 * MAX_CHARACTERS || characters.length > MAX_CHARACTERS;
  return isTruncated ? `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…` : characters.join('');
}

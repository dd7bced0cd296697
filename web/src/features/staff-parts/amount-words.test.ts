import i18next from 'i18next';
import { expect, it } from 'vitest';
import { balanceChangeAction, balanceChangeWords } from './amount-words.ts';

it.each([
  ['en', 1234, 'You will credit $1,234.00 to a@example.com.', 'Credit $1,234.00'],
  ['en', -0.000_001, 'You will deduct $0.000001 from a@example.com.', 'Deduct $0.000001'],
  ['ru', 1.5, 'Вы зачислите $1,50 на баланс a@example.com.', 'Зачислить $1,50'],
  ['ru', -5, 'Вы спишете $5,00 с баланса a@example.com.', 'Списать $5,00'],
] as const)('in %s, a change of %d names direction, amount and customer', async (language, amount, words, action) => {
  await i18next.changeLanguage(language);
  const t = i18next.getFixedT(language, 'staffMoney');
  expect(balanceChangeWords(amount, 'a@example.com', t)).toBe(words);
  expect(balanceChangeAction(amount, t)).toBe(action);
});

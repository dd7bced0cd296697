import i18next from 'i18next';
import { expect, it } from 'vitest';
import { nextGoal } from './next-goal.ts';

it.each([
  ['BASIC', 0, 'SILVER', 1],
  ['SILVER', 1, 'GOLD', 5],
  ['SILVER', 5, 'GOLD', 1],
  ['GOLD', 10, 'PLATINUM', 1],
  ['PLATINUM', 21, 'PARTNER', 1],
] as const)('above %s with %i top-ups is %s, and %i are missing', (reached, payments, level, missing) => {
  expect(nextGoal(reached, payments)).toEqual({ level, missing });
});

it('is undefined at the highest level', () => {
  expect(nextGoal('PARTNER', 22)).toBeUndefined();
});

it('is written after "left" in Russian: one top-up is left, not of one', async () => {
  await i18next.changeLanguage('ru');
  const t = i18next.getFixedT('ru', 'referralSystem');
  expect([1, 3, 11].map((count) => t('topUps', { count }))).toEqual(['1 пополнение', '3 пополнения', '11 пополнений']);
});

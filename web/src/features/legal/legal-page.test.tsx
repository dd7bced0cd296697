import { ADDRESS_DAYS, NOTICE_DAYS, PREPAID_MEGABYTES } from '@cellhop/contract/limits';
import { expect, it } from 'vitest';
import { openApp } from '../../../test/open-app.tsx';
import { currentSettings } from '../../data/settings.ts';
import { shopTimes } from '../../hooks/use-shop-times.ts';
import { languages } from '../../i18n/languages.ts';

async function openDocument(document: string, language: 'en' | 'ru') {
  const { screen } = await openApp(`/legal/${document}`, {
    language,
    isSignedIn: false,
    answers: { 'GET /v1/legal/*': { data: { text: null } } },
  });
  // Its first heading comes with its text.
  await screen.findAllByRole('heading', { level: 2 });
  const text = screen.getByRole('article').textContent;
  expect(text).not.toContain('{{');
  return text;
}

it.each(languages)('the terms in %s say when a connection ends and what is prepaid', async (language) => {
  const text = await openDocument('terms', language);
  expect(text).toContain(currentSettings().brandName);
  expect(text).toContain(shopTimes(currentSettings(), language).idleTime);
  expect(text).toContain(`${PREPAID_MEGABYTES} `);
});

it.each(languages)('the refunds in %s have the refund window', async (language) => {
  const text = await openDocument('refunds', language);
  expect(text).toContain(shopTimes(currentSettings(), language).refundTime);
  expect(text).toContain(`${PREPAID_MEGABYTES} `);
});

it.each(languages)('the privacy notice in %s says how long addresses and notices are kept', async (language) => {
  const text = await openDocument('privacy', language);
  expect(text).toMatch(new RegExp(`${ADDRESS_DAYS} (?:days|дней)`));
  expect(text).toMatch(new RegExp(`${NOTICE_DAYS} (?:days|дней)`));
});

it.each([
  ['en', 'you give up what is left of the balance'],
  ['ru', 'от остатка на балансе вы отказываетесь'],
] as const)('the terms in %s name the button that deletes the account, and what it costs', async (language, waiver) => {
  const text = await openDocument('terms', language);
  expect(text).toContain(waiver);
  const { screen } = await openApp('/account#data', {
    language,
    answers: {
      'GET /v1/profile/alerts': { data: {} },
      'GET /v1/profile/company': { data: {} },
      'GET /v1/auth/sessions': { data: [] },
      'GET /v1/auth/second-factor': { data: {} },
    },
  });
  const [button] = await screen.findAllByRole('button', {
    name: language === 'en' ? 'Delete account' : 'Удалить аккаунт',
  });
  expect(text).toContain(button!.textContent);
});

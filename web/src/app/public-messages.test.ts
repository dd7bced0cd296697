import { confirmationTexts } from '@cellhop/contract/confirmation-texts';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isConfirmation, isKnownMessage, truncateMessage } from './public-messages.ts';

function read(language: string, namespace: string) {
  const file = new URL(`../i18n/locales/${language}/${namespace}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, never> & {
    errors: Record<string, string>;
    resend: Record<string, string>;
    accountNotFound: string;
  };
}

it.each(['en', 'ru'] as const)('knows every sentence that a link of a mail leads to, in %s', (language) => {
  for (const text of Object.values(confirmationTexts[language])) expect(isKnownMessage(text)).toBe(true);
});

it('leads to sign-in from a confirmation only', () => {
  const { DONE, ALREADY_DONE, TOO_OLD, UNKNOWN } = confirmationTexts.en;
  expect([DONE, ALREADY_DONE, TOO_OLD, UNKNOWN, 'Sign in'].map(isConfirmation)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

it.each(['en', 'ru'])('knows what the specification says about links, in %s', (language) => {
  const { errors, accountNotFound } = read(language, 'common');
  const { resend } = read(language, 'auth');
  for (const text of [
    errors['SESSION_EXPIRED'],
    errors['SESSION_NOT_FOUND'],
    errors['EMAIL_NOT_CONFIRMED'],
    resend['alreadyConfirmed'],
    accountNotFound,
  ])
    expect(isKnownMessage(text!)).toBe(true);
});

it.each([
  'Your account is locked. Call +1 555 0100',
  'Your email is confirmed. You can sign in now. Call +1 555 0100',
  ' Link has expired',
  'constructor',
  '',
])('does not take %j for a sentence of ours', (message) => {
  expect(isKnownMessage(message)).toBe(false);
});

it('truncates a message to 200 characters, without unpaired surrogates', () => {
  expect(truncateMessage('a'.repeat(200))).toBe('a'.repeat(200));
  expect(truncateMessage('a'.repeat(201))).toBe(`${'a'.repeat(199)}…`);
  expect(truncateMessage('😀'.repeat(10_000))).toBe(`${'😀'.repeat(199)}…`);
});

it('shows a message on one line, without bidirectional control characters', () => {
  expect(truncateMessage('one\n\n\ntwo\u202Ethree')).toBe('one two three');
});

import { ApiError } from '@cellhop/contract/client';
import { EASY_PASSWORD, ONLY_SPACES } from '@cellhop/contract/schemas';
import i18next from 'i18next';
import type { core } from 'zod';

/**
 * Turns what zod found into a word of our own with an optional number (`minimumLength:8`): the text for it is chosen
 * when the field is drawn, so it follows the language.
 */
export const formErrorMap: core.$ZodErrorMap = (issue) => {
  if (issue.input === '' || issue.input === undefined || issue.input === null) return 'required';
  if (issue.code === 'too_small') return `${issue.origin === 'string' ? 'minimumLength' : 'minimum'}:${issue.minimum}`;
  if (issue.code === 'too_big') return `${issue.origin === 'string' ? 'maximumLength' : 'maximum'}:${issue.maximum}`;
  return 'invalid';
};

const words = [
  'required',
  'passwordsDiffer',
  'passwordTooEasy',
  'sixDigits',
  'amount',
  'minimum',
  'maximum',
  'minimumLength',
  'maximumLength',
] as const;

/** The text under a field, from what the form's resolver reported. */
export function fieldErrorText(
  error: { type?: string | undefined; message?: string | undefined } | undefined,
): string | undefined {
  if (error === undefined) return undefined;
  if (error.message === ONLY_SPACES) return i18next.t('form.onlySpaces');
  if (error.message === EASY_PASSWORD) return i18next.t('form.passwordTooEasy');
  const [name, value] = (error.message ?? '').split(':');
  const word = words.find((candidate) => candidate === name);
  // The email's schema brings a message of its own; no other format is without a word.
  if (word === undefined && error.type === 'invalid_format') return i18next.t('form.email');
  return i18next.t(`form.${word ?? 'invalid'}`, { value });
}

/** The bounds of a password are the form's too, so what the server alone refuses is one that is easily guessed. */
export function isPasswordRefused(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.code === 'VALIDATION' &&
    error.body?.details?.some(({ path }) => path === 'body.password') === true
  );
}

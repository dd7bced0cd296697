import { ApiError } from '@cellhop/contract/client';
import { EASY_PASSWORD, ONLY_SPACES } from '@cellhop/contract/fields.values';
import i18next from 'i18next';
import type { core } from 'zod';
import { formatDecimal } from '../format/format.ts';

/**
 * Maps an issue of zod to our own error key with an optional number (`minimumLength:8`). The text is chosen when the
 * field renders, so it follows the language.
 */
export const formErrorMap: core.$ZodErrorMap = (issue) => {
  if (issue.input === '' || issue.input === undefined || issue.input === null) return 'required';
  if (issue.code === 'too_small') return `${issue.origin === 'string' ? 'minimumLength' : 'minimum'}:${issue.minimum}`;
  if (issue.code === 'too_big') return `${issue.origin === 'string' ? 'maximumLength' : 'maximum'}:${issue.maximum}`;
  return 'invalid';
};

const errorKeys = [
  'required',
  'passwordsDiffer',
  'passwordTooEasy',
  'sixDigits',
  'amount',
  'percent',
  'count',
  'minimum',
  'maximum',
  'minimumLength',
  'maximumLength',
] as const;

/** The text under a field, for an error of the form's resolver. */
export function fieldErrorText(
  error: { type?: string | undefined; message?: string | undefined } | undefined,
): string | undefined {
  if (error === undefined) return undefined;
  if (error.message === ONLY_SPACES) return i18next.t('form.onlySpaces');
  if (error.message === EASY_PASSWORD) return i18next.t('form.passwordTooEasy');
  const [name, value] = (error.message ?? '').split(':');
  const errorKey = errorKeys.find((candidate) => candidate === name);
  // The email schema has its own message; all other formats have an error key.
  if (errorKey === undefined && error.type === 'invalid_format') return i18next.t('form.email');
  return i18next.t(`form.${errorKey ?? 'invalid'}`, { value: value && formatDecimal(value) });
}

/** The form checks the length of a password, so the server refuses only those that are easy to guess. */
export function isPasswordRefused(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.code === 'VALIDATION' &&
    error.body?.details?.some(({ path }) => path === 'body.password') === true
  );
}

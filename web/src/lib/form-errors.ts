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
  'minimum',
  'maximum',
  'minimumLength',
  'maximumLength',
  'onlySpaces',
] as const;

/** The text under a field, from what the form's resolver reported. */
export function fieldErrorText(
  error: { type?: string | undefined; message?: string | undefined } | undefined,
): string | undefined {
  if (error === undefined) return undefined;
  // The only format among the forms is the email's, whose schema brings a message of its own.
  if (error.type === 'invalid_format') return i18next.t('form.email');
  const [name, value] = (error.message ?? '').split(':');
  const word = words.find((candidate) => candidate === name);
  return i18next.t(`form.${word ?? 'invalid'}`, { value });
}

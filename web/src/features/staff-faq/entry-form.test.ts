import { describe, expect, it } from 'vitest';
import { formErrorMap } from '../../data/form-errors.ts';
import { type EntryForm, entryForm, toForm } from './entry-form.ts';

const question = 'How does it work?';
const response = 'It works well.';
const filled: EntryForm = { en: { question, response }, ru: { question: '', response: ' ' } };

function findErrors(values: EntryForm): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { path, message } of entryForm.safeParse(values, { error: formErrorMap }).error?.issues ?? [])
    errors[path.join('.')] ??= message;
  return errors;
}

describe('entryForm', () => {
  it('leaves out a language without a text', () => {
    expect(entryForm.parse(filled)).toEqual({ en: { question, response }, ru: null });
    expect(toForm(entryForm.parse(filled))).toEqual({ ...filled, ru: { question: '', response: '' } });
  });

  it('requires a text in at least one language', () => {
    expect(findErrors(toForm(undefined))).toEqual({ 'en.question': 'required' });
  });

  it('has the rules of the API in each language', () => {
    expect(findErrors({ ...filled, ru: { question: 'Да?', response: '' } })).toEqual({
      'ru.question': 'minimumLength:5',
      'ru.response': 'required',
    });
  });
});

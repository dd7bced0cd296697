import { auditActions } from '@cellhop/contract/staff/audit-log.values';
import { expect, it } from 'vitest';
import en from '../../i18n/locales/en/staffSystem.json' with { type: 'json' };
import ru from '../../i18n/locales/ru/staffSystem.json' with { type: 'json' };
import { splitSentence } from './split-sentence.ts';

it('finds the places of people and of the subject', () => {
  expect(splitSentence('{actor} closed [a ticket] of {user}')).toEqual([
    { kind: 'actor' },
    { kind: 'text', text: ' closed ' },
    { kind: 'subject', text: 'a ticket' },
    { kind: 'text', text: ' of ' },
    { kind: 'user' },
  ]);
});

it.each(auditActions)('%s is in the past tense', (action) => {
  expect(en.sentences[action]).not.toMatch(/^\{\w+\} \w+s\b/);
  expect(ru.sentences[action]).toMatch(/^(?:\{\w+\} \S+л(?:ся)?(?: |$)|[^{])/);
});

it.each(auditActions)('%s is a sentence about the same people and subject in both languages', (action) => {
  const kinds = [en, ru].map(({ sentences }) =>
    splitSentence(sentences[action])
      .map(({ kind }) => kind)
      .filter((kind) => kind !== 'text')
      .toSorted(),
  );
  expect(kinds[0]!.length).toBeGreaterThan(0);
  expect(kinds[1]).toEqual(kinds[0]);
});

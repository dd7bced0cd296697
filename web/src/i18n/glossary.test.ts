import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { languages } from './languages.ts';

/** Files of the API and of the contract whose strings people read. */
const sources = [
  'api/src/mail/english-texts.ts',
  'api/src/mail/russian-texts.ts',
  'api/src/modules/auth/confirmation-page.ts',
  'api/src/modules/auth/second-factor-reset-page.ts',
  'api/src/modules/billing/unsubscribe.routes.ts',
  'api/src/modules/notifications/notification-texts.ts',
  'api/src/modules/visitor-pages/english-home-texts.ts',
  'api/src/modules/visitor-pages/russian-home-texts.ts',
  'api/src/modules/visitor-pages/texts.ts',
  'api/src/seed/demo-faq.ts',
  'contract/src/confirmation-texts.ts',
];

interface Text {
  place: string;
  for: 'customers' | 'staff';
  text: string;
}

const texts: Text[] = [...languages.flatMap(readLocales), ...sources.flatMap(readStrings)];
const terms = readGlossary();

function readProjectFile(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
}

function readLocales(language: string): Text[] {
  return readdirSync(new URL(`./locales/${language}/`, import.meta.url)).flatMap((file) => {
    const place = `${language}/${file}`;
    const content = readFileSync(new URL(`./locales/${place}`, import.meta.url), 'utf8');
    const values = content.matchAll(/": ("(?:[^"\\]|\\.)*")/g);
    const audience = file.startsWith('staff') ? 'staff' : 'customers';
    return Array.from(values, ([, text]) => ({ place, for: audience, text: JSON.parse(text!) as string }));
  });
}

function readStrings(place: string): Text[] {
  const withoutComments = readProjectFile(place).replaceAll(/\/\*\*?[^]*?\*\/|^\s*\/\/.*$|^import .*$/gm, '');
  const strings = withoutComments.matchAll(/(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g);
  return Array.from(strings, ([, , text]) => ({ place, for: 'customers', text: text! }));
}

/** The rows of the table in docs/ui-texts.md. */
function readGlossary() {
  const rows = readProjectFile('docs/ui-texts.md').matchAll(
    /^\| (.+?) +\| (.+?) +\| (all|customers|staff) +\| .+? \| (`.+`) +\|$/gm,
  );
  return Array.from(rows, ([, english, russian, audience, not]) => ({
    english: english!,
    russian: russian!,
    for: audience!,
    not: Array.from(not!.matchAll(/`([^`]+)`/g), ([, word]) => word!),
  }));
}

const isFor = (text: Text, audience: string) => audience === 'all' || text.for === audience;

/** As a whole word, or its beginning if it ends with `…`. */
function toPattern(word: string): RegExp {
  return new RegExp(
    `(?<![\\p{L}\\d-])${word.replace('…', '')}${word.endsWith('…') ? '' : String.raw`(?![\p{L}\d-])`}`,
    'iu',
  );
}

it.each(terms)('$english, $russian: the term is used', ({ english, russian, for: audience }) => {
  const all = texts.filter((each) => isFor(each, audience)).map(({ text }) => text.toLowerCase());
  const unused = [english, russian].filter((term) => !all.some((text) => text.includes(term.toLowerCase())));
  expect(unused).toEqual([]);
});

it.each(terms)('no text has another word for $english', ({ not, for: audience }) => {
  const wrong = not.flatMap((word) => {
    const pattern = toPattern(word);
    return texts.filter((each) => isFor(each, audience) && pattern.test(each.text));
  });
  expect(wrong).toEqual([]);
});

it('a percent sign follows its number without a space, in both languages', () => {
  expect(texts.filter(({ text }) => /(?:\d|\}\})\s%(?!\w)/.test(text))).toEqual([]);
});

it('reads every row of the table, and texts of both languages from each file, or from a pair of files', () => {
  const rows = readProjectFile('docs/ui-texts.md').match(/^\| .* \|$/gm)!;
  expect(terms).toHaveLength(rows.length - 2);
  for (const source of sources) {
    const ofSource = texts.filter(({ place }) => place === source);
    const has = (language: RegExp) => ofSource.some(({ text }) => language.test(text));
    expect([/[а-я]{3}/i, /[a-z]{3} [a-z]/i].map(has)).toEqual([
      !source.includes('english'),
      !source.includes('russian'),
    ]);
  }
});

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { detectLanguage, languages } from './languages.ts';

type Texts = { [key: string]: string | Texts };

const namespaces = listNamespaces('en');
const PLURAL = /_(?:zero|one|two|few|many|other)$/;

function listNamespaces(language: string): string[] {
  return readdirSync(new URL(`./locales/${language}/`, import.meta.url)).map((file) => path.basename(file, '.json'));
}

function read(language: string, namespace: string): Map<string, string> {
  const file = new URL(`./locales/${language}/${namespace}.json`, import.meta.url);
  return flatten(JSON.parse(readFileSync(file, 'utf8')) as Texts);
}

function flatten(texts: Texts, prefix = ''): Map<string, string> {
  const flat = new Map<string, string>();
  for (const [key, value] of Object.entries(texts)) {
    if (typeof value === 'string') flat.set(prefix + key, value);
    else for (const [inner, text] of flatten(value, `${prefix}${key}.`)) flat.set(inner, text);
  }
  return flat;
}

const withoutPlurals = (texts: Map<string, string>) => [
  ...new Set([...texts.keys()].map((key) => key.replace(PLURAL, ''))),
];
const placeholders = (text: string) =>
  [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name).sort((one, other) => one.localeCompare(other));

it('has the same files in each language', () => {
  for (const language of languages) expect(listNamespaces(language)).toEqual(namespaces);
});

describe.each(namespaces)('texts of %s', (namespace) => {
  const en = read('en', namespace);
  const ru = read('ru', namespace);

  it('has the same keys in each language, in the same order', () => {
    expect(withoutPlurals(ru)).toEqual(withoutPlurals(en));
  });

  it('has every plural form that a language needs', () => {
    for (const [language, texts] of Object.entries({ en, ru })) {
      const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
      const counted = new Set(
        [...texts.keys()].filter((key) => PLURAL.test(key)).map((key) => key.replace(PLURAL, '')),
      );
      for (const key of counted) for (const form of forms) expect(texts.has(`${key}_${form}`)).toBe(true);
    }
  });

  it('fills the same values into both texts', () => {
    const both = [...en.keys()].filter((key) => ru.has(key));
    const values = (texts: Map<string, string>) =>
      both.map((key) => ({ key, names: placeholders(texts.get(key) ?? '') }));
    expect(values(ru)).toEqual(values(en));
  });

  it('has no empty text', () => {
    for (const text of [...en.values(), ...ru.values()]) expect(text.trim()).not.toBe('');
  });
});

it('has plural forms wherever a noun follows a number that can be one', () => {
  /** Numbers that are always larger. */
  const constant = ['proxyConnection controls.allowList.full', 'staffContent faq.full'];
  const undeclined = namespaces.flatMap((namespace) =>
    [...read('en', namespace)]
      .filter(
        ([key, text]) => !PLURAL.test(key) && /\{\{count\}\} \w+s\b/.test(text) && !/\{\{count\}\} ms\b/.test(text),
      )
      .map(([key]) => `${namespace} ${key}`),
  );
  expect(undeclined).toEqual(constant);
});

it('has "Failed loaded" only in texts that the specification defines', () => {
  const specified = [
    'Failed loaded faq list',
    'Failed loaded invoices',
    'Failed loaded notifications',
    'Failed loaded promo codes',
    'Failed loaded proxies',
    'Failed loaded proxy connections',
    'Failed loaded proxy filters',
    'Failed loaded ticket',
    'Failed loaded tickets',
    'Failed loaded user',
    'Failed loaded users',
  ];
  const worded = namespaces
    .flatMap((namespace) => [...read('en', namespace).values()])
    .filter((text) => /failed load/i.test(text));
  expect(worded).toContain('Failed loaded proxies');
  expect(specified).toEqual(expect.arrayContaining(worded));
});

it('has only messages that fit into the space that dialogs leave above them', () => {
  const MESSAGE_MAX = 90;
  const messages =
    /^(?:errors|ended|genericError|rateLimitedFor|failure\.incomplete|resend|pay\.sandboxPaid|messages\.limited)/;
  const tooLong = languages.flatMap((language) =>
    namespaces.flatMap((namespace) =>
      [...read(language, namespace)].filter(([key, text]) => messages.test(key) && text.length > MESSAGE_MAX),
    ),
  );
  expect(tooLong).toEqual([]);
});

describe('detectLanguage', () => {
  it('returns the first supported language of the user', () => {
    expect(detectLanguage(['de-DE', 'ru-RU', 'en'])).toBe('ru');
    expect(detectLanguage(['EN-us'])).toBe('en');
  });

  it('falls back to English', () => {
    expect(detectLanguage(['de'])).toBe('en');
    expect(detectLanguage([])).toBe('en');
  });

  it('supports every language that has texts', () => {
    for (const language of languages) expect(detectLanguage([language])).toBe(language);
  });
});

/** The texts in Node.js: all of them, without what belongs to a page. Each test file begins in English. */
import i18next from 'i18next';
import fs from 'node:fs';
import { languages } from '../src/i18n/languages.ts';

if (!i18next.isInitialized) await i18next.init({ defaultNS: 'common', resources: readTexts() });
await i18next.changeLanguage('en');

function readTexts() {
  const locales = new URL('../src/i18n/locales/', import.meta.url);
  return Object.fromEntries(
    languages.map((language) => {
      const files = fs.readdirSync(new URL(`${language}/`, locales));
      const texts = files.map((file) => [
        file.replace(/\.json$/, ''),
        JSON.parse(fs.readFileSync(new URL(`${language}/${file}`, locales), 'utf8')) as object,
      ]);
      return [language, Object.fromEntries(texts) as Record<string, object>];
    }),
  );
}

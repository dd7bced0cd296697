import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { storedValue } from '../lib/stored-value.ts';
import {
  detectLanguage,
  FALLBACK_LANGUAGE,
  isLanguage,
  languages,
  type Language,
  type Namespace,
} from './languages.ts';

const locales = import.meta.glob<{ default: Record<string, unknown> }>('./locales/*/*.json');
const storedLanguage = storedValue<Language>('language', isLanguage);

/** Each namespace of each language is a file of its own, fetched when a page first needs it. */
const localeFiles = { type: 'backend' as const, init: () => undefined, read: readTexts };

async function readTexts(language: string, namespace: string) {
  const load = locales[`./locales/${language}/${namespace}.json`];
  if (load === undefined) throw new Error(`No texts for ${language}/${namespace}`);
  return (await load()).default;
}

/** @param wanted what the first page needs besides the texts that all share */
export async function startTranslations(...wanted: Namespace[]): Promise<void> {
  i18next.on('languageChanged', (language) => {
    document.documentElement.lang = language;
  });
  // This tab or another one has stored a choice. Only a choice is stored: two tabs that stored what they follow would
  // pass an older language back and forth.
  storedLanguage.subscribe(() => {
    const language = storedLanguage.get();
    // Also if it is the shown one: the texts of another language may still be on their way.
    if (language !== undefined) void i18next.changeLanguage(language);
  });
  await i18next
    .use(localeFiles)
    .use(initReactI18next)
    .init({
      lng: storedLanguage.get() ?? detectLanguage(navigator.languages),
      // A test keeps the languages complete, so that a reader of one need not load the other too.
      fallbackLng: (language: string) => (isLanguage(language) ? [] : [FALLBACK_LANGUAGE]),
      supportedLngs: languages,
      ns: ['common', ...wanted],
      defaultNS: 'common',
      interpolation: { escapeValue: false },
    });
}

/** Switches every tab of this browser, and pages that are opened later. Once it is done this tab shows the texts. */
export async function chooseLanguage(language: Language): Promise<void> {
  storedLanguage.set(language);
  await i18next.changeLanguage(language);
}

/** For route loaders: the texts arrive together with the page's code. */
export function loadTexts(...wanted: Namespace[]): () => Promise<void> {
  return () => i18next.loadNamespaces(wanted);
}

import i18next, { type FormatterModule } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { formatDecimal } from '../format/format.ts';
import { storedValue } from '../session/stored-value.ts';
import {
  detectLanguage,
  FALLBACK_LANGUAGE,
  isLanguage,
  languages,
  type Language,
  type Namespace,
} from './languages.ts';

export interface TextFile {
  default: Record<string, unknown>;
}
type TextFiles = Record<string, () => Promise<TextFile>>;

/** The texts of staff are registered by staff-texts.ts, so that customers do not load the list of them. */
const locales: TextFiles = import.meta.glob<TextFile>(['./locales/*/*.json', '!./locales/*/staff*.json']);
const storedLanguage = storedValue<Language>('language', isLanguage);

/** Each namespace of each language is a separate file, loaded when a page first needs it. */
const localeFiles = { type: 'backend' as const, init: () => undefined, read: readTexts };

/** Letters that run from right to left, and characters that change the direction. */
const RIGHT_TO_LEFT = /[\u0590-\u08FF\u200F\u202A-\u202E\u2066-\u2069\uFB1D-\uFDFF\uFE70-\uFEFC]/;

/**
 * Values in texts: numbers have the notation of all others, and what runs from right to left is isolated, so that it does not
 * exchange its neighbours. No text names a format of its own.
 */
const valueTexts: FormatterModule = {
  type: 'formatter',
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value: unknown) => {
    if (typeof value === 'number') return formatDecimal(String(value));
    return typeof value === 'string' && RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : (value as string);
  },
};

async function readTexts(language: string, namespace: string) {
  const load = locales[`./locales/${language}/${namespace}.json`];
  if (load === undefined) throw new Error(`No texts for ${language}/${namespace}`);
  return (await load()).default;
}

/** @param namespaces namespaces of the first page besides `common` */
export async function startTranslations(...namespaces: Namespace[]): Promise<void> {
  i18next.on('languageChanged', (language) => {
    document.documentElement.lang = language;
  });
  const language = storedLanguage.get() ?? detectLanguage(navigator.languages);
  // The detected one is cached, as the product specification says.
  if (storedLanguage.get() === undefined) storedLanguage.set(language);
  // Changes of this tab or another one. Later only a choice is stored: two tabs that stored what they follow would switch
  // each other back and forth.
  storedLanguage.subscribe(() => {
    const chosen = storedLanguage.get();
    // Also if it is the current one: another language may still be loading.
    if (chosen !== undefined) void i18next.changeLanguage(chosen);
  });
  await i18next
    .use(localeFiles)
    .use(valueTexts)
    .use(initReactI18next)
    .init({
      lng: language,
      // No fallback between complete languages (a test checks them), so that only one is loaded.
      fallbackLng: (language: string) => (isLanguage(language) ? [] : [FALLBACK_LANGUAGE]),
      supportedLngs: languages,
      ns: ['common', ...namespaces],
      defaultNS: 'common',
      interpolation: { escapeValue: false, alwaysFormat: true },
    });
}

/** Switches all tabs of this browser and later pages. Resolves when this tab shows the texts. */
export async function chooseLanguage(language: Language): Promise<void> {
  storedLanguage.set(language);
  await i18next.changeLanguage(language);
}

export function registerTexts(files: TextFiles): void {
  Object.assign(locales, files);
}

/** For route loaders: loads the texts together with the page's code. */
export function loadTexts(...namespaces: Namespace[]): () => Promise<void> {
  return () => i18next.loadNamespaces(namespaces);
}

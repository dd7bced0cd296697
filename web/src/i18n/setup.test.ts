import original from 'i18next';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startBrowser, type Tab } from '../../test/browser.ts';

type LanguageTab = Tab & { modules: Awaited<ReturnType<typeof loadModules>> };

async function loadModules() {
  // Packages are loaded once for all tabs; each tab has its own i18next instance.
  const i18next = original.createInstance();
  vi.doMock('i18next', () => ({ default: i18next }));
  return { i18next, ...(await import('./setup.ts')) };
}

/** Two tabs of a browser that receive each other's changes only when the test lets them. */
async function openTabs(browserLanguages = ['en']) {
  const browser = startBrowser({ isHeld: true });
  vi.stubGlobal('navigator', { locks: navigator.locks, languages: browserLanguages });
  const tabs: LanguageTab[] = [];
  for (let index = 0; index < 2; index += 1) {
    const tab = await browser.openTab(loadModules);
    await tab.run(() => tab.modules.startTranslations());
    tabs.push(tab);
  }
  const [first, second] = tabs as [LanguageTab, LanguageTab];
  return { stored: () => browser.items.get('language'), first, second };
}

const choose = (tab: LanguageTab, language: 'en' | 'ru') => void tab.run(() => tab.modules.chooseLanguage(language));
const shown = (...tabs: LanguageTab[]) => tabs.map(({ modules }) => modules.i18next.language);

/** Waits until a tab has loaded the texts of its next language. */
async function switched(tab: LanguageTab): Promise<void> {
  // The types do not include this field.
  const i18next = tab.modules.i18next as { isLanguageChangingTo?: string };
  await vi.waitFor(() => expect(i18next.isLanguageChangingTo).toBeUndefined());
}

async function passOn(...tabs: LanguageTab[]): Promise<void> {
  for (const tab of tabs) {
    tab.syncStorage();
    await switched(tab);
  }
}

beforeEach(() => {
  vi.stubGlobal('document', { documentElement: {} });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.doUnmock('i18next');
  vi.resetModules();
});

it('follows the choice of another tab without storing it again', async () => {
  const { stored, first, second } = await openTabs();
  choose(first, 'ru');
  await switched(first);
  second.syncStorage();
  // The user changes their mind while the second tab still switches to the first choice.
  choose(first, 'en');
  await switched(first);
  await switched(second);
  await passOn(first, second, first, second);
  expect([stored(), ...shown(first, second)]).toEqual(['"en"', 'en', 'en']);
});

it('returns to the current language while another one is loading', async () => {
  const { first, second } = await openTabs();
  choose(first, 'ru');
  await switched(first);
  second.syncStorage();
  choose(first, 'en');
  await switched(first);
  second.syncStorage();
  await switched(second);
  expect(shown(first, second)).toEqual(['en', 'en']);
});

it('ends with the last choice in both tabs, whichever receives it first', async () => {
  for (const isFirst of [true, false]) {
    const { stored, first, second } = await openTabs();
    choose(first, 'ru');
    choose(second, 'en');
    const order = isFirst ? [first, second] : [second, first];
    await passOn(...order, ...order);
    expect([stored(), ...shown(first, second)]).toEqual(['"en"', 'en', 'en']);
  }
});

it('caches the detected language, which a later change of the browser does not replace', async () => {
  const { stored, first, second } = await openTabs(['ru-RU', 'en']);
  expect([stored(), ...shown(first, second)]).toEqual(['"ru"', 'ru', 'ru']);
});

it('writes numbers in texts as all others', async () => {
  const { first } = await openTabs();
  const { i18next } = first.modules;
  expect(i18next.t('form.decimals', { count: 1234 })).toBe('At most 1,234 decimals');
  choose(first, 'ru');
  await switched(first);
  expect(i18next.t('form.decimals', { count: 1234 })).toContain('1\u00A0234');
  expect(i18next.t('form.decimals', { count: 2.5 })).toContain('2,5');
});

it('isolates values that run from right to left', async () => {
  const { first } = await openTabs();
  const { i18next } = first.modules;
  expect(i18next.t('form.maximum', { value: 'القاهرة 24' })).toBe('Maximum value \u2068القاهرة 24\u2069');
  expect(i18next.t('form.maximum', { value: 'Köln 24' })).toBe('Maximum value Köln 24');
});

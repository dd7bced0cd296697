import original from 'i18next';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startBrowser, type Tab } from '../../test/browser.ts';

type LanguageTab = Tab & { modules: Awaited<ReturnType<typeof loadModules>> };

async function loadModules() {
  // Packages are loaded once for all tabs; each tab has translations of its own.
  const i18next = original.createInstance();
  vi.doMock('i18next', () => ({ default: i18next }));
  return { i18next, ...(await import('./setup.ts')) };
}

/** Two tabs of a browser that learn of each other's choices only when the test lets them. */
async function openTabs() {
  const browser = startBrowser({ isHeld: true });
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

/** Once the texts have come that a tab is waiting for. */
async function switched(tab: LanguageTab): Promise<void> {
  // Its types do not name this field.
  const i18next = tab.modules.i18next as { isLanguageChangingTo?: string };
  await vi.waitFor(() => expect(i18next.isLanguageChangingTo).toBeUndefined());
}

async function passOn(...tabs: LanguageTab[]): Promise<void> {
  for (const tab of tabs) {
    tab.seeStorage();
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
  second.seeStorage();
  // The reader changes their mind while the second tab still follows the first choice.
  choose(first, 'en');
  await switched(first);
  await switched(second);
  await passOn(first, second, first, second);
  expect([stored(), ...shown(first, second)]).toEqual(['"en"', 'en', 'en']);
});

it('returns to the language that is shown while another one is on its way', async () => {
  const { first, second } = await openTabs();
  choose(first, 'ru');
  await switched(first);
  second.seeStorage();
  choose(first, 'en');
  await switched(first);
  second.seeStorage();
  await switched(second);
  expect(shown(first, second)).toEqual(['en', 'en']);
});

it('ends in the last choice in both tabs, whichever hears of the other first', async () => {
  for (const isFirst of [true, false]) {
    const { stored, first, second } = await openTabs();
    choose(first, 'ru');
    choose(second, 'en');
    const order = isFirst ? [first, second] : [second, first];
    await passOn(...order, ...order);
    expect([stored(), ...shown(first, second)]).toEqual(['"en"', 'en', 'en']);
  }
});

it('stores nothing that nobody has chosen', async () => {
  const { stored } = await openTabs();
  expect(stored()).toBeUndefined();
});

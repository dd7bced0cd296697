/**
 * The second part of `npm run screens`: pictures of the screens without special states in Firefox and WebKit. It tests nothing;
 * engines.interop.ts walks through both.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isWanted, toIndex } from '../../../e2e/gallery-index.ts';
import { publicScreens } from '../../../e2e/gallery-public.ts';
import type { Product } from '../../../tools/product.mjs';
import { menuScreens } from '../../src/app/screens.ts';
import { staffMenuScreens } from '../../src/app/staff/staff-screens.ts';
import { type Browser, engines } from './browsers.ts';
import { startForBrowsers } from './product-for-browsers.ts';
import { createSteps, element } from './steps.ts';

const FOLDER = fileURLToPath(new URL('../../../.data/screens', import.meta.url));
const TIMEOUT_MS = 1_200_000;
/** Animations of appearing rows. */
const SETTLE_MS = 400;
const widths = [1440, 768, 390];
/** Each language and each theme once. */
const looks = [
  ['en', 'DARK'],
  ['ru', 'LIGHT'],
] as const;

interface Picture {
  name: string;
  path: string;
}

const ofMenu = (screens: readonly { path: string }[]): Picture[] =>
  screens.map((screen) => ({ name: screen.path.slice(1).replaceAll('/', '-'), path: screen.path }));
const visitors = publicScreens.filter(({ act, responses }) => act === undefined && responses === undefined);

let product: Product;
let stop: () => Promise<void>;
beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true });
  ({ product, stop } = await startForBrowsers(path.join(FOLDER, 'engines.log')));
});
afterAll(() => stop?.());

/** @returns their files */
async function takePictures(browser: Browser, folder: string): Promise<string[]> {
  const taken: string[] = [];
  const { forget, until, open, click, fill } = createSteps(browser, product.url);
  const show = async (screens: readonly Picture[]) => {
    for (const [language, theme] of looks) {
      const choice = `localStorage.setItem('language', '"${language}"'), localStorage.setItem('theme', '"${theme}"')`;
      await browser.evaluate(`(${choice}, true)`);
      for (const { name, path: address } of screens.filter((screen) => isWanted(screen.name)))
        for (const width of widths) {
          await browser.resize(width);
          await open(address);
          await until(`!document.querySelector('[aria-busy=true]')`);
          await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
          const file = `${name}-${language}-${theme.toLowerCase()}-${width}.png`;
          writeFileSync(path.join(folder, file), await browser.takePicture());
          taken.push(file);
        }
    }
  };
  const signIn = async (email: string) => {
    await forget();
    await open('/sign-in');
    await fill('email', email);
    await fill('password', 'demo-password');
    await click(element('main button[type=submit]'));
    await until(`location.pathname === '/proxies'`);
  };
  await forget();
  await show(visitors);
  await signIn('user@example.com');
  await show(ofMenu(menuScreens));
  await signIn('admin@example.com');
  await show(ofMenu(staffMenuScreens));
  writeFileSync(path.join(folder, 'index.html'), toIndex(taken));
  return taken;
}

describe.each(engines)('%s', (engine, openBrowser) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  test('every screen', { timeout: TIMEOUT_MS }, async () => {
    const folder = path.join(FOLDER, engine);
    mkdirSync(folder, { recursive: true });
    expect(await takePictures(browser, folder)).not.toEqual([]);
  });
});

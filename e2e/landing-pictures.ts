/** The pictures of the app on the landing page, which `npm run screens` makes again: a phone's screens, in each language and theme. */
import type { Locator, Page } from '@playwright/test';
import fs from 'node:fs';
import path from 'node:path';
import { expect } from './product.ts';

const folder = 'web/public/pictures';
/** As api/src/modules/visitor-pages/home-page.ts says. */
const size = { width: 390, height: 620 };
const QUALITY = 70;

interface Picture {
  name: string;
  path: string;
  act: (page: Page) => Promise<unknown>;
}

const buy = (page: Page): Locator => page.getByRole('button', { name: /^(?:Buy|Купить) \d/ }).first();
const pictures: readonly Picture[] = [
  { name: 'find', path: '/proxies?country=DE', act: (page) => expect(buy(page)).toBeVisible() },
  {
    name: 'buy',
    path: '/proxies?country=DE',
    act: async (page) => {
      await buy(page).click();
      await expect(page.getByRole('dialog').getByRole('button', { name: /^(?:Buy for|Купить за)/ })).toBeVisible();
    },
  },
  { name: 'use', path: '/connection-history', act: (page) => expect(page.locator('main li dl').first()).toBeVisible() },
];

/** @param page of a signed-in customer with an open connection */
export async function takeLandingPictures(page: Page): Promise<void> {
  fs.mkdirSync(folder, { recursive: true });
  await page.setViewportSize(size);
  const devTools = await page.context().newCDPSession(page);
  for (const language of ['en', 'ru'])
    for (const theme of ['dark', 'light'])
      for (const picture of pictures) {
        await page.evaluate(
          ([languageValue, themeValue]) => {
            localStorage.setItem('language', JSON.stringify(languageValue));
            localStorage.setItem('theme', JSON.stringify(themeValue));
          },
          [language, theme.toUpperCase()],
        );
        await page.goto('about:blank');
        await page.goto(picture.path);
        await picture.act(page);
        await page.waitForLoadState('networkidle');
        const clip = { x: 0, y: 0, ...size, scale: 2 };
        const { data } = await devTools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY, clip });
        fs.writeFileSync(path.join(folder, `${picture.name}-${language}-${theme}.webp`), Buffer.from(data, 'base64'));
      }
}

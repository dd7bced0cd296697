import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, signIn, test } from './product.ts';

const publicPages = [
  '/',
  '/sign-in',
  '/sign-up?rc=WELCOME',
  '/restore-access',
  '/public-message?message=Hello',
  '/no-such-page',
];
const memberPages = [
  '/proxies',
  '/connection-history',
  '/usage?range=day',
  '/payments/invoices',
  '/payments/invoices?create=true',
  '/faq',
  '/support/tickets',
  '/support/tickets?create=true',
];
const widths = [1440, 768, 390];
const texts = {
  en: { '/sign-in': 'Sign in', '/proxies': 'Find' },
  ru: { '/sign-in': 'Войти', '/proxies': 'Найти' },
} as const;

async function prefer(page: Page, language: string, theme: string): Promise<void> {
  await page.addInitScript(
    ([languageValue, themeValue]) => {
      localStorage.setItem('language', JSON.stringify(languageValue));
      localStorage.setItem('theme', JSON.stringify(themeValue));
    },
    [language, theme],
  );
}

async function expectAccessible(page: Page, where: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21aa']).analyze();
  const found = violations.map(({ id, nodes }) => `${where}: ${id}: ${nodes.map((node) => node.html).join(' | ')}`);
  expect(found).toEqual([]);
}

/** At no width does a page scroll sideways. */
async function expectFits(page: Page, where: string): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    // A new width takes a moment to be drawn; what overflows then, overflows.
    await expect
      .poll(
        () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
        `${where} at ${width}`,
      )
      .toBe(0);
  }
}

for (const language of ['en', 'ru'] as const)
  for (const theme of ['DARK', 'LIGHT'] as const)
    test(`every screen is accessible and fits, ${language}, ${theme}`, async ({ page }) => {
      await prefer(page, language, theme);
      const visit = async (path: string) => {
        await page.goto(path);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await page.waitForLoadState('networkidle');
        await expectAccessible(page, path);
        await expectFits(page, path);
      };
      for (const path of publicPages) await visit(path);
      await page.goto('/sign-in');
      await expect(page.getByRole('button', { name: texts[language]['/sign-in'] })).toBeVisible();
      await expect(page.locator('html')).toHaveAttribute('lang', language);
      if (language === 'en') await signIn(page, 'user@example.com', 'demo-password');
      else {
        await page.getByLabel('Email').or(page.getByLabel('Эл. почта')).fill('user@example.com');
        await page.locator('input[type=password]').fill('demo-password');
        await page.getByRole('button', { name: texts.ru['/sign-in'] }).click();
        await expect(page).toHaveURL(/\/proxies$/);
      }
      for (const path of memberPages) await visit(path);
      await page.goto('/proxies');
      await expect(page.getByRole('button', { name: texts[language]['/proxies'] })).toBeVisible();
    });

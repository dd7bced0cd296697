import { AxeBuilder } from '@axe-core/playwright';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live';
import type { Page } from '@playwright/test';
import { expect } from './product.ts';

const widths = [1440, 768, 390, 320];

export async function prefer(page: Page, language: string, theme: string): Promise<void> {
  // A page with an open event stream is never idle.
  await page.route(`**${LIVE_EVENTS_PATH}`, (route) => route.abort());
  await page.addInitScript(
    ([languageValue, themeValue]) => {
      localStorage.setItem('language', JSON.stringify(languageValue));
      localStorage.setItem('theme', JSON.stringify(themeValue));
    },
    [language, theme],
  );
}

async function expectAccessible(page: Page, where: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    // No page has iframes, so the faster legacy mode is enough; only violations are needed.
    // Not a rule of WCAG: all content is in landmarks.
    .options({ resultTypes: ['violations'], rules: { region: { enabled: true } } })
    .setLegacyMode()
    .withTags(['wcag2a', 'wcag2aa', 'wcag21aa'])
    .analyze();
  const found = violations.map(
    ({ id, nodes }) =>
      `${where}: ${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' | ')}`,
  );
  expect(found).toEqual([]);
}

/** A page must not scroll horizontally at any width. */
async function expectFits(page: Page, where: string): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    // Floating elements such as menus are positioned shortly after.
    const excess = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    await expect.poll(excess, `${where} at ${width}`).toBe(0);
  }
}

export async function expectGood(page: Page, where: string): Promise<void> {
  await expectAccessible(page, where);
  await expectFits(page, where);
}

export async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.waitForLoadState('networkidle');
  await expectGood(page, path);
}

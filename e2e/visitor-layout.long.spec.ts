/** How the pages of visitors fit their windows. */
import { expect, test } from './product.ts';
import { PHONE_WIDTH, prefer } from './screen-checks.ts';

for (const [language, name] of [
  ['en', 'Sign up'],
  ['ru', 'Зарегистрироваться'],
] as const)
  test(`the whole form of the sign-up is in view on a phone, in ${language}`, async ({ page }) => {
    await page.setViewportSize({ width: PHONE_WIDTH, height: 844 });
    await prefer(page, language, 'LIGHT');
    await page.goto('/sign-up');
    await expect(page.getByRole('button', { name, exact: true })).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole('heading', { level: 1 })).toBeInViewport({ ratio: 1 });
  });

test('the header is one row on each page and at each width, and holds all of its links', async ({ page }) => {
  for (const width of [1440, 768, 375, 320]) {
    await page.setViewportSize({ width, height: 800 });
    for (const path of ['/', '/ru/', '/pricing', '/ru/locations', '/locations/de', '/legal/terms']) {
      await page.goto(path);
      const banner = page.getByRole('banner');
      await expect(banner).toBeVisible();
      const { tops, isWide } = await banner.evaluate((header) => {
        const boxes = [...header.querySelectorAll('a, button')]
          .map((each) => each.getBoundingClientRect())
          .filter(({ width }) => width > 0);
        return {
          tops: new Set(boxes.map(({ top, height }) => Math.round(top + height / 2))).size,
          isWide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
        };
      });
      expect([path, width, tops, isWide]).toEqual([path, width, 1, false]);
    }
  }
});

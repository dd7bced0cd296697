/** What a browser prints into its console although every screen works. */
import type { Page } from '@playwright/test';
import { createCustomer, enter, expect, test } from './product.ts';

/** Longer than Chromium waits before it warns of an unused preload. */
const PRELOAD_WARNING_MS = 8000;

/** Violations of the page's Content Security Policy: some browsers print them, others only tell the page. */
async function recordViolations(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const violations: string[] = [];
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, sourceFile, lineNumber }) =>
      violations.push(`${violatedDirective} ${sourceFile}:${lineNumber}`),
    );
    Object.assign(window, { violations });
  });
  return () => page.evaluate(() => (window as unknown as { violations: string[] }).violations);
}

test('forms violate no security policy', async ({ page }) => {
  const violations = await recordViolations(page);
  for (const path of ['/sign-in', '/sign-up?rc=WELCOME', '/restore-access']) {
    await page.goto(path);
    await page.getByRole('main').locator('button[type=submit]').click();
    await expect(page.getByText('Required field').first()).toBeVisible();
    expect(await violations(), path).toEqual([]);
  }
});

test('a refused session leaves no unused preload', async ({ page }) => {
  await page.goto('/favicon.svg');
  await page.evaluate(() => {
    const tokens = { accessToken: 'none', refreshToken: 'none', accessTokenExpiredAt: Date.now() + 3_600_000 };
    localStorage.setItem('tokens', JSON.stringify(tokens));
  });
  const warning = page
    .waitForEvent('console', {
      predicate: (message) => message.text().includes('preload'),
      timeout: PRELOAD_WARNING_MS,
    })
    .then(
      (message) => message.text(),
      () => undefined,
    );
  await page.goto('/proxies');
  await expect(page).toHaveURL(/\/sign-in/);
  expect(await warning).toBeUndefined();
});

test('the focus stays in the page when the dialog of a purchase closes', async ({ page }) => {
  const email = 'focused@example.com';
  await createCustomer(page, email);
  await enter(page, '/proxies?country=PL', email);
  const opener = page.getByRole('main').getByRole('button', { name: /^Buy/ }).first();
  const name = (await opener.getAttribute('aria-label'))!;
  await opener.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Buy for/ }).press('Enter');
  await expect(dialog.getByRole('link', { name: /history/i })).toBeVisible();
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      return element === document.body ? 'body' : element?.closest('[role=dialog]') ? 'dialog' : 'page';
    });
  await expect.poll(focused).toBe('dialog');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect.poll(focused).toBe('page');
  // The list is fetched again, without the row that had opened the dialog.
  await expect(page.getByRole('button', { name, exact: true })).toHaveCount(0);
  await expect.poll(focused).toBe('page');
});

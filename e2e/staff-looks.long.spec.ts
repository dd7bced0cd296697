import type { Locator, Page } from '@playwright/test';
import { menuPaths } from './menu.ts';
import { enter, expect, test } from './product.ts';
import { buyAsUser, PHONE_WIDTH, prefer, visit } from './screen-checks.ts';

/** The names of buttons that end, retire, delete or refuse something. */
const DESTRUCTIVE = /^(?:Retire|Disable|Disconnect|Drain|Delete|Reject|Withdraw)\b/;

const colorOf = (locator: Locator) => locator.evaluate((element) => getComputedStyle(element).color);

/** The red of the theme. */
function danger(page: Page): Promise<string> {
  return page.evaluate(() => {
    const probe = document.createElement('span');
    probe.style.color = 'var(--danger)';
    document.body.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  });
}

test('every destructive button of staff is red, and no other one', async ({ page, product }) => {
  await buyAsUser(product.url);
  await prefer(page, 'en', 'DARK');
  await enter(page, '/admin', 'admin@example.com', 'demo-password');
  const found = new Set<string>();
  for (const path of await menuPaths(page, 'staff')) {
    await visit(page, path);
    const red = await danger(page);
    for (const button of await page.getByRole('main').getByRole('button').all()) {
      const name = (await button.getAttribute('aria-label')) ?? (await button.innerText());
      const verb = DESTRUCTIVE.exec(name)?.[0];
      if (verb !== undefined) found.add(verb);
      expect([path, name, (await colorOf(button)) === red]).toEqual([path, name, verb !== undefined]);
    }
  }
  expect([...found]).toEqual(expect.arrayContaining(['Retire', 'Disable', 'Disconnect', 'Drain', 'Delete']));
});

test('the button that creates a row is at the right end of the first line, and fields of filters have one width', async ({
  page,
}) => {
  await prefer(page, 'en', 'DARK');
  await enter(page, '/admin', 'admin@example.com', 'demo-password');
  const places = {
    '/admin/tickets': 'Open a ticket for a user',
    '/admin/tickets/replies': /^Add/,
    '/admin/referral-system/codes': 'Create promo code',
    '/admin/faq': /^(?:Add|New|Create)/,
    '/admin/broadcasts': /broadcast/,
    '/admin/proxies': 'Import',
    '/admin/roles': /^Create/,
  };
  for (const [path, name] of Object.entries(places)) {
    await visit(page, path);
    const main = (await page.getByRole('main').boundingBox())!;
    const button = (await page.getByRole('main').getByRole('button', { name }).first().boundingBox())!;
    const end = main.x + main.width - button.x - button.width;
    expect([path, Math.round(end), button.y < main.y + 130]).toEqual([path, 32, true]);
  }
  for (const path of [
    '/admin/users',
    '/admin/connections',
    '/admin/payment/invoices',
    '/admin/tickets',
    '/admin/proxies',
  ]) {
    await visit(page, path);
    const filters = page.getByRole('region', { name: 'Filters' });
    const widths = await filters
      .locator('.mantine-InputWrapper-root:visible')
      .evaluateAll((fields) => fields.map((field) => Math.round(field.getBoundingClientRect().width)));
    expect([path, [...new Set(widths)]]).toEqual([path, [160]]);
  }
});

test('on a phone filters are behind a button, and the whole title has the place of the balance', async ({ page }) => {
  await page.setViewportSize({ width: PHONE_WIDTH, height: 844 });
  await enter(page, '/admin/users?status=ACTIVE', 'admin@example.com', 'demo-password');
  const toggle = page.getByRole('button', { name: 'Filters: 1' });
  await expect(toggle).toHaveAttribute('aria-expanded', 'false');
  await expect(page.getByPlaceholder('At least 3 characters')).toBeHidden();
  await toggle.click();
  await expect(page.getByPlaceholder('At least 3 characters')).toBeVisible();
  await expect(page.getByRole('link', { name: /^Balance / })).toBeHidden();
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect(page.getByRole('button', { name: 'Filters: 1' })).toBeHidden();
  await expect(page.getByRole('link', { name: /^Balance / })).toBeVisible();
});

test('lists of staff are tables on a tablet, and their buttons stay in view', async ({ page, product }) => {
  await buyAsUser(product.url);
  await page.setViewportSize({ width: 768, height: 900 });
  await prefer(page, 'en', 'DARK');
  await enter(page, '/admin', 'admin@example.com', 'demo-password');
  for (const path of ['/admin/connections', '/admin/proxies', '/admin/referral-system/codes', '/admin/audit-log']) {
    await visit(page, path);
    await expect(page.getByRole('main').getByRole('table').first()).toBeVisible();
    const buttons = page.locator('main tbody tr').first().locator('td[data-last] button');
    for (const button of await buttons.all()) await expect(button).toBeInViewport({ ratio: 1 });
  }
});

test('links are underlined under the pointer', async ({ page }) => {
  await enter(page, '/admin/users', 'admin@example.com', 'demo-password');
  for (const link of [
    page.getByRole('link', { name: /^admin@example\.com/ }),
    page.getByRole('link', { name: 'Home' }),
  ]) {
    await link.hover();
    await expect(link).toHaveCSS('text-decoration-line', 'underline');
  }
});

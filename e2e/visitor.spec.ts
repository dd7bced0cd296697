import type { Page } from '@playwright/test';
import { expect, test } from './product.ts';

const SCRIPT_LIMIT_BYTES = 120 * 1024;

const words = {
  en: {
    title: 'Mobile proxies, paid by the megabyte',
    benefits: [
      'Real mobile IPs',
      'Search by ZIP and operator',
      'Pay only for used traffic',
      'Automatic refund',
      'Free trial for a limited time',
      '25% affiliate programme',
      'Many countries',
    ],
    last: /speaks SOCKS5, HTTP and QUIC/,
  },
  ru: {
    title: 'Мобильные прокси с оплатой за мегабайты',
    benefits: [
      'Настоящие мобильные IP',
      'Поиск по индексу и оператору',
      'Оплата только за трафик',
      'Автоматический возврат',
      'Бесплатный тест, пока идёт акция',
      'Партнёрская программа 25%',
      'Множество стран',
    ],
    last: /работает по SOCKS5, HTTP и QUIC/,
  },
} as const;

test('a visitor reads the landing page in their language, and all tabs follow the choice', async ({
  page,
  context,
}) => {
  const other = await context.newPage();
  await other.goto('/sign-in');
  await page.goto('/');
  const expectTexts = async (language: 'en' | 'ru') => {
    const { title, benefits, last } = words[language];
    await expect(page.locator('html')).toHaveAttribute('lang', language);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
    const items = page.getByRole('main').getByRole('listitem');
    await expect(items).toHaveCount(8);
    await expect(items.getByRole('heading')).toHaveText(benefits);
    await expect(items.last()).toHaveText(last);
  };
  await expectTexts('en');
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');

  await page.getByLabel('Language').selectOption('ru');
  await expectTexts('ru');
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Вход');
  await page.getByRole('radio', { name: 'Светлая' }).check();
  for (const tab of [page, other])
    await expect(tab.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light');
  await page.reload();
  await expectTexts('ru');
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light');

  await page.getByRole('link', { name: 'Войти' }).first().click();
  await expect(page).toHaveURL(/\/sign-in$/);
  await page.goBack();
  await page.getByRole('link', { name: 'Начать с $1 в подарок' }).first().click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Регистрация');
  await expect(page.getByLabel('Реферальный код')).toHaveValue('WELCOME');
  await other.close();
});

test('the footer of the landing page shows the price and links to the default texts', async ({ page }) => {
  await page.goto('/');
  const footer = page.getByRole('contentinfo');
  await expect(footer).toContainText(/From \$0\.\d+ per megabyte/);
  await expect(footer.getByRole('link')).toHaveText(['Terms of service', 'Acceptable use', 'Privacy', 'Refunds']);
  expect((await footer.boundingBox())!.x).toBe((await page.getByRole('banner').boundingBox())!.x);
  // The price is the last thing that the page loads.
  expect(await scriptBytes(page)).toBeLessThan(SCRIPT_LIMIT_BYTES);
  await footer.getByRole('link', { name: 'Refunds' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Refunds');
  await expect(page.getByText('If a connection ends within 30 minutes', { exact: false })).toBeVisible();
});

test('paths that are no screen say so with 404, and screens are 200', async ({ page }) => {
  for (const path of ['/legal/no-such-text', '/no-such-page', '/proxies/1']) {
    expect((await page.goto(path))!.status(), path).toBe(404);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('This page does not exist');
  }
  for (const path of ['/sign-in', '/legal/terms', '/admin/users/1', '/check-receipt'])
    expect((await page.request.get(path)).status(), path).toBe(200);
});

test('addresses that browsers, phones and search engines know are files, and a missing file is no page', async ({
  page,
}) => {
  const types = {
    '/favicon.ico': 'image/vnd.microsoft.icon',
    '/apple-touch-icon.png': 'image/png',
    '/sitemap.xml': 'application/xml; charset=utf-8',
    '/robots.txt': 'text/plain; charset=utf-8',
  };
  for (const [path, type] of Object.entries(types)) {
    const response = await page.request.get(path);
    expect([response.status(), response.headers()['content-type']], path).toEqual([200, type]);
  }
  for (const path of ['/no-such.js', '/assets/no-such.css', '/.well-known/no-such']) {
    const response = await page.request.get(path);
    expect([response.status(), response.headers()['content-type']], path).toEqual([
      404,
      'application/json; charset=utf-8',
    ]);
  }
  // Password managers open it; visitors sign in first.
  await page.goto('/.well-known/change-password');
  await expect(page).toHaveURL(/\/sign-in\?next=%2Faccount%23password/);
});

test('link previews and the installed app show the address and the brand', async ({ page }) => {
  const html = await (await page.request.get('/')).text();
  expect(html).toMatch(/<meta property="og:image" content="http:\/\/[\w.:]+\/social-image\.png"/);
  const manifest = (await (await page.request.get('/manifest.webmanifest')).json()) as { name: string };
  expect(manifest.name).toBe('Cellhop');
});

test('sign-in works by keyboard', async ({ page }) => {
  await page.goto('/sign-in');
  const email = page.getByLabel('Email');
  const password = page.getByLabel('Password', { exact: true });
  const submit = page.getByRole('button', { name: 'Sign in' });
  // The code of the form may come after the frame around it.
  await expect(email).toBeVisible();
  await page.getByRole('link', { name: 'Cellhop' }).focus();
  // Tab stops: the language, the theme, then the form.
  for (let stop = 0; stop < 3; stop++) await page.keyboard.press('Tab');
  await expect(email).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Required field')).toHaveCount(2);
  await expect(email).toBeFocused();
  await page.keyboard.type('user@example.com');
  await page.keyboard.press('Tab');
  await expect(password).toBeFocused();
  await page.keyboard.type('not their password');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Show or hide the password' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('Invalid email or password');
  // The button is not disabled while the request runs, so it keeps the focus.
  await expect(submit).toBeFocused();
  await password.focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('demo-password');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/proxies$/);
});

/** What the page has loaded so far, compressed. */
async function scriptBytes(page: Page): Promise<number> {
  return page.evaluate(() => {
    const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const scripts = resources.filter(({ name }) => new URL(name).pathname.endsWith('.js'));
    return scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  });
}

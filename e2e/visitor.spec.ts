import { createClient } from '@cellhop/contract/client';
import { getStock } from '@cellhop/contract/proxies';
import type { Page } from '@playwright/test';
import { expect, test } from './product.ts';

declare global {
  interface Window {
    /** The layout shift so far. */
    shift?: number;
  }
}

const SCRIPT_LIMIT_BYTES = 120 * 1024;

const words = {
  en: {
    title: 'Mobile proxies, paid by the megabyte',
    benefitsTitle: 'What you get',
    benefits: [
      'Real mobile IPs',
      'Search by ZIP and operator',
      'Pay only for used traffic',
      'Automatic refund',
      'Free trial for a limited time',
      '25% affiliate programme',
      'Many countries',
    ],
    last: /supports SOCKS5, HTTP and QUIC/,
  },
  ru: {
    title: 'Мобильные прокси с оплатой за мегабайты',
    benefitsTitle: 'Что вы получаете',
    benefits: [
      'Настоящие мобильные IP',
      'Поиск по индексу и оператору',
      'Оплата только за трафик',
      'Автоматический возврат',
      'Бесплатный тест, пока идёт акция',
      'Партнёрская программа 25%',
      'Множество стран',
    ],
    last: /поддерживает SOCKS5, HTTP и QUIC/,
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
    const { title, benefitsTitle, benefits, last } = words[language];
    await expect(page.locator('html')).toHaveAttribute('lang', language);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
    const section = page.locator('section').filter({ has: page.getByRole('heading', { name: benefitsTitle }) });
    const items = section.getByRole('listitem');
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

test('a visitor reads prices and stock, and nothing moves when they arrive', async ({ page, product }) => {
  const { data } = await createClient({ baseUrl: product.url })(getStock, {});
  await page.setViewportSize({ width: 390, height: 844 });
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
        if (!hadRecentInput) window.shift = (window.shift ?? 0) + value;
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  const answer = Promise.withResolvers<void>();
  await page.route('**/v1/proxies/stock', async (route) => {
    await answer.promise;
    await route.continue();
  });
  await page.goto('/');
  const facts = page.getByRole('main').locator('dl').first();
  await expect(facts).toContainText('countries');
  await expect(page.getByRole('heading', { name: 'Pricing' })).toBeAttached();
  answer.resolve();
  await expect(facts).toContainText(`${data.countries.length}`);
  await expect(facts).toContainText(/from \$0\.\d+/);
  // Above the fold, also on a phone.
  const box = (await facts.boundingBox())!;
  expect(box.y + box.height).toBeLessThan(844);
  await expect(page.getByText(/^Checked \d+ (?:s|min) ago$/)).toBeVisible();
  expect(await page.evaluate(() => window.shift ?? 0)).toBeLessThan(0.01);

  await page.getByRole('link', { name: 'See pricing' }).click();
  const prices = page.getByRole('table');
  await expect(prices).toBeInViewport();
  await expect(prices.getByRole('row')).toHaveCount(9);
  await expect(prices.getByRole('row').nth(1)).toContainText(/\$0\.\d+.*\$\d+\.\d\d/);
  await page.getByText('Who else uses my proxy?').click();
  await expect(page.getByText('Nobody. While your connection is open', { exact: false })).toBeVisible();
  await page.getByRole('link', { name: 'Check a receipt' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check a receipt');
});

test('the animation of a purchase stops for those who want no motion, and by its button for all others', async ({
  page,
}) => {
  const running = () =>
    page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length);
  await page.goto('/');
  await expect(page.getByRole('figure', { name: 'An animation of a purchase', exact: false })).toBeVisible();
  await expect.poll(running).toBe(0);
  await expect(page.getByRole('button', { name: 'Pause the animations' })).toBeHidden();
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await expect.poll(running).toBeGreaterThan(20);
  await page.getByRole('button', { name: 'Pause the animations' }).click();
  await expect.poll(running).toBe(0);
  await page.getByRole('button', { name: 'Play the animations' }).click();
  await expect.poll(running).toBeGreaterThan(20);
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

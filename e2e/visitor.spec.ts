import { expect, test } from './product.ts';

declare global {
  interface Window {
    /** The layout shift so far. */
    shift?: number;
  }
}

const words = {
  en: {
    title: 'Mobile proxies, paid by the megabyte',
    benefitsTitle: 'What you get',
    benefits: [
      'Real mobile IPs',
      'Search by ZIP and operator',
      'Pay only for used traffic',
      'Refunds are automatic',
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
      'Деньги возвращаются сами',
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
    await expect(page).toHaveURL(language === 'en' ? /\d\/$/ : /\d\/ru\/$/);
    await expect(page).toHaveTitle(`${title} – Cellhop`);
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

  await page.getByRole('link', { name: 'Русский' }).click();
  await expectTexts('ru');
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Вход');
  await page.getByRole('radio', { name: 'Светлая' }).check();
  for (const tab of [page, other])
    await expect(tab.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light');
  // The address without a language leads to the one that was chosen.
  await page.goto('/');
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

test('a visitor reads prices and proof at once, nothing moves, and the page loads no script', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
        if (!hadRecentInput) window.shift = (window.shift ?? 0) + value;
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto('/');
  const facts = page.getByRole('main').locator('dl').first();
  await expect(facts).toContainText(/from \$0\.\d+/);
  await expect(facts).toContainText(/for \$1, some \d+ web pages/);
  await expect(facts).toContainText('countries');
  // Above the fold, also on a phone.
  const box = (await facts.boundingBox())!;
  expect(box.y + box.height).toBeLessThan(844);
  await expect(page.getByText('Median latency')).toBeVisible();
  // The pictures load when they come into view.
  await page.getByRole('contentinfo').scrollIntoViewIfNeeded();
  await page.waitForLoadState('networkidle');
  expect(await page.evaluate(() => window.shift ?? 0)).toBeLessThan(0.01);
  await page.getByText('Who else uses my proxy?').click();
  await expect(page.getByText('Nobody. While your connection is open', { exact: false })).toBeVisible();
  const resources = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  expect(resources.filter((name) => new URL(name).pathname.endsWith('.js'))).toEqual([]);
});

test('an example of code is copied', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/');
  await expect(page.locator('pre:visible')).toContainText('curl -x socks5h://');
  await page.getByRole('radio', { name: 'Python' }).check();
  await expect(page.locator('pre:visible')).toContainText('import requests');
  await page.getByRole('button', { name: 'Copy' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^import requests\n[^]+print\(/);
});

test('the picture of the landing page moves for less than five seconds, and not for those who want no motion', async ({
  page,
}) => {
  const readEnds = () =>
    page.evaluate(() => document.getAnimations().map(({ effect }) => Number(effect!.getComputedTiming().endTime)));
  await page.goto('/');
  expect(Math.max(0, ...(await readEnds()))).toBeLessThan(10);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto('/');
  const times = await readEnds();
  expect(times.length).toBeGreaterThan(0);
  expect(Math.max(...times)).toBeLessThan(5000);
});

test('the footer of the landing page leads to all pages and to the default texts', async ({ page }) => {
  await page.goto('/');
  const footer = page.getByRole('contentinfo');
  await expect(footer.getByRole('link')).toHaveText([
    'Pricing',
    'Locations',
    'Terms of service',
    'Acceptable use',
    'Privacy',
    'Refunds',
    'Imprint',
  ]);
  expect((await footer.boundingBox())!.x).toBe((await page.getByRole('banner').boundingBox())!.x);
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

import type { Request } from '@playwright/test';
import { createCustomer, expect, fillSignIn, PASSWORD, signIn, test } from './product.ts';

test('filters and pages are in the URL: reload and Back keep them', async ({ page }) => {
  await signIn(page, 'user@example.com', 'demo-password');
  await page.getByRole('combobox', { name: 'Country' }).click();
  const options = page.getByRole('listbox').getByRole('option', { name: /^(?:France|Germany)/ });
  await expect(options).toHaveCount(2);
  // The second click comes before the page has rendered the first.
  await options.evaluateAll((elements: HTMLElement[]) => elements.forEach((element) => element.click()));
  await page.keyboard.press('Escape');
  const find = page.getByRole('button', { name: 'Find' });
  await find.press('Enter');
  await expect(page).toHaveURL(/\?country=FR&country=DE$/);
  await expect(find).toBeFocused();
  const table = page.getByRole('table');
  const fromElsewhere = table.getByRole('row').filter({ hasNot: page.getByRole('img', { name: /Germany|France/ }) });
  const onlyTheHeader = () => expect(fromElsewhere).toHaveCount(1);
  await onlyTheHeader();

  await page.reload();
  await expect(page.getByRole('form').getByText('France')).toBeVisible();
  await onlyTheHeader();

  await page.getByRole('button', { name: 'Reset' }).click();
  await expect(page).toHaveURL(/\/proxies$/);
  await page.goBack();
  await expect(page).toHaveURL(/\?country=FR&country=DE$/);
  await onlyTheHeader();
});

test('form input survives a session that expires', async ({ page }) => {
  const email = 'interrupted@example.com';
  await createCustomer(page, email);
  await signIn(page, email);
  await page.goto('/payments/invoices');
  await page.getByRole('button', { name: 'Create new invoice' }).click();
  await expect(page).toHaveURL(/create=true/);
  await page.getByLabel('Amount, USD').pressSequentially('1,042.50');
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Amount, USD')).toHaveValue('1,042.50');
  await page.getByRole('combobox', { name: 'Currency' }).click();
  await page.getByRole('option', { name: 'Litecoin' }).click();

  await page.route('**/v1/payments/invoices', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({
          status: 401,
          json: { statusCode: 401, error: 'Unauthorized', code: 'UNAUTHORIZED', message: 'Unauthorized' },
        })
      : route.continue(),
  );
  await page.getByRole('button', { name: 'Create invoice' }).click();
  await expect(page).toHaveURL(/\/sign-in\?next=/);
  await expect(page.getByText('Please sign in to continue where you left off.')).toBeVisible();
  // Not before the page has loaded: the browser may lose requests that are under way when the last route goes.
  await page.unroute('**/v1/payments/invoices');

  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(/\/payments\/invoices\?create=true$/);
  await expect(page.getByLabel('Amount, USD')).toHaveValue('1,042.50');
  await expect(page.getByRole('combobox', { name: 'Currency' })).toHaveValue('Litecoin');
  await page.getByRole('button', { name: 'Create invoice' }).dblclick();
  await expect(page.getByText('SANDBOX — test mode')).toBeVisible();
  await expect(page).toHaveURL(/\/payments\/invoices\?invoice=[-0-9a-f]+$/);
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/\/payments\/invoices$/);
  await expect(page.getByRole('row', { name: /Litecoin/ })).toHaveCount(1);

  await page.getByRole('button', { name: 'Create new invoice' }).click();
  await expect(page.getByLabel('Amount, USD')).toHaveValue('');
});

test('a purchase that sign-in interrupts reopens its dialog; a reload after the purchase does not', async ({
  page,
}) => {
  const email = 'interrupted-purchase@example.com';
  await createCustomer(page, email);
  await signIn(page, email);
  await page
    .getByRole('button', { name: /^Buy 198\.18\./ })
    .first()
    .click();
  const dialog = page.getByRole('dialog', { name: /^Proxy 198\.18\./ });
  const name = await dialog.getByRole('heading', { name: /^Proxy 198/ }).innerText();
  await expect(page).toHaveURL(/\/proxies\?proxy=[-0-9a-f]+$/);
  await page.goBack();
  await expect(dialog).toBeHidden();
  await page.goForward();
  await expect(dialog).toBeVisible();

  await page.route('**/v1/proxies/connections', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({
          status: 401,
          json: { statusCode: 401, error: 'Unauthorized', code: 'UNAUTHORIZED', message: 'Unauthorized' },
        })
      : route.continue(),
  );
  await dialog.getByRole('button', { name: /^Buy for/ }).click();
  await expect(page).toHaveURL(/\/sign-in\?next=/);
  await page.unroute('**/v1/proxies/connections');
  await fillSignIn(page, email);
  await expect(page.getByRole('heading', { name })).toBeVisible();

  await dialog.getByRole('button', { name: /^Buy for/ }).click();
  await expect(page.getByText('The proxy is yours.', { exact: false })).toBeVisible();
  await expect(dialog.getByText('SOCKS5, HTTP, QUIC')).toBeVisible();
  await expect(dialog.locator('dt').getByText('DNS port', { exact: true })).toBeVisible();
  await expect(dialog.getByText(/^dig @\S+ -p \d+ example\.com$/)).toBeVisible();
  await expect(page).toHaveURL(/\/proxies$/);
  await page.reload();
  await expect(page.getByRole('button', { name: /^Buy 198\.18\./ }).first()).toBeVisible();
  await expect(dialog).toBeHidden();
});

test('a link to a sold proxy shows a message', async ({ page }) => {
  await signIn(page, 'user@example.com', 'demo-password');
  await page.goto('/proxies?proxy=00000000-0000-4000-8000-000000000000');
  await expect(page.getByText('Proxy not found or bought by another user')).toBeVisible();
  await expect(page).toHaveURL(/\/proxies$/);
});

test('sign-in redirects only within the app, and does not redirect after sign-out', async ({ page }) => {
  await page.goto('/sign-in?next=//evil.example/');
  await page.getByLabel('Email').fill('user@example.com');
  await page.getByLabel('Password', { exact: true }).fill('demo-password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(/\/proxies$/);
  await page.goto('/connection-history');
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Log Out' }).click();
  await expect(page).toHaveURL(/\/sign-in$/);
});

test('a lost network and a timeout show a message and can be retried', async ({ page, context }) => {
  // The network fails while the styles of later popups load.
  const lost = page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/controls-'));
  let isLost = true;
  await page.route('**/assets/controls-*.css', (route) => (isLost ? route.abort() : route.continue()));
  // Browsers never retry a module that failed to load; this test is about stylesheets and data.
  const loading = new Set<Request>();
  page.on('request', (request) => request.url().endsWith('.js') && loading.add(request));
  page.on('requestfinished', (request) => loading.delete(request));
  await signIn(page, 'user@example.com', 'demo-password');
  await expect(page.getByRole('table').getByRole('row')).toHaveCount(1 + 50);
  await lost;
  // The parts that load when the page is idle have begun to load.
  await page.evaluate(() => new Promise<void>((resolve) => requestIdleCallback(() => resolve())));
  await expect.poll(() => loading.size).toBe(0);
  isLost = false;
  await context.setOffline(true);
  await expect(page.getByText('You are offline')).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText('You are offline')).toBeHidden();

  await page.getByRole('combobox', { name: 'Connection type' }).click();
  await page.getByRole('listbox').getByRole('option').first().click();
  await page.keyboard.press('Escape');
  await page.route('**/v1/proxies?*', () => {}); // No response.
  // The same timeout, but shorter.
  const undo = await page.evaluateHandle(() => {
    const original = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (ms) => original(ms / 20);
    return () => (AbortSignal.timeout = original);
  });
  const request = page.waitForRequest('**/v1/proxies?*');
  await page.getByRole('button', { name: 'Find' }).click();
  await request;
  await expect(page.getByText('Failed loaded proxies')).toBeVisible();
  await expect(page.getByText('did not respond within 10 seconds')).toBeVisible();
  await page.unroute('**/v1/proxies?*');
  await undo.evaluate((restore) => restore());
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('button', { name: /^Buy / }).first()).toBeVisible();
  // The focused button was removed.
  await expect(page.getByRole('main')).toBeFocused();
});

test('a double click buys once, and so does a retry after a lost network', async ({ page, context }) => {
  await createCustomer(page, 'impatient@example.com');
  await signIn(page, 'impatient@example.com');
  let purchases = 0;
  await page.route('**/v1/proxies/connections', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    purchases += 1;
    if (purchases > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await page
    .getByRole('button', { name: /^Buy 198\.18\./ })
    .first()
    .click();
  // Its code is loaded: browsers never retry a module that failed to load.
  await expect(page.getByRole('dialog').getByRole('button', { name: /^Buy for/ })).toBeVisible();
  await context.setOffline(true);
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Buy for/ })
    .dblclick();
  await expect(page.getByText('No connection to the server', { exact: false })).toBeVisible();
  await context.setOffline(false);
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Buy for/ })
    .dblclick();
  await expect(page.getByText('The proxy is yours.', { exact: false })).toBeVisible();
  expect(purchases).toBe(2);
  await page.getByRole('link', { name: 'Go to connection history' }).click();
  await expect(page.getByRole('row', { name: /Active/ })).toHaveCount(1);
});

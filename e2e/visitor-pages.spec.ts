/** The pages that the API renders for visitors and search engines. */
import { enter, expect, test } from './product.ts';

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('prices and locations are complete, and lead to each other and to the sign-up', async ({ page }) => {
    await page.goto('/pricing');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Pay for traffic, not for time');
    const germany = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'Germany' }) });
    await expect(germany.getByRole('cell')).toHaveText([/^\$0\.\d+$/, /^\$\d+\.\d+$/, /^\d+$/]);
    await expect(page.getByRole('link', { name: 'Start with $1 free' }).first()).toHaveAttribute(
      'href',
      '/sign-up?rc=WELCOME',
    );
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Locations' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Mobile proxies by country');
    expect(await page.getByRole('main').getByRole('listitem').count()).toBeGreaterThanOrEqual(20);
    await page.getByRole('link', { name: 'Germany' }).click();
    await expect(page).toHaveURL(/\/locations\/de$/);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Mobile proxies: Germany');
    await page.getByRole('link', { name: 'Русский' }).click();
    await expect(page).toHaveURL(/\/ru\/locations\/de$/);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Мобильные прокси: Германия');
    await expect(page.getByRole('group', { name: 'Тема' })).toBeHidden();
  });
});

test('the language and the theme that a visitor chooses there are those of the app, and signed-in users read them too', async ({
  page,
}) => {
  await page.goto('/pricing');
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await page.getByRole('radio', { name: 'Light' }).check();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light');
  await page.getByRole('link', { name: 'Русский' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light');
  await expect(page.getByRole('radio', { name: 'Светлая' })).toBeChecked();
  await expect(page.getByRole('banner').getByRole('link', { name: 'Войти' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'В приложение' })).toHaveCount(0);
  await page.getByRole('link', { name: 'Начать с $1 в подарок' }).last().click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Регистрация');
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light');

  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  await page.goto('/ru/locations');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Мобильные прокси по странам');
  await expect(page.getByRole('link', { name: 'Войти' })).toHaveCount(0);
  await page.getByRole('banner').getByRole('link', { name: 'В приложение' }).click();
  await expect(page).toHaveURL(/\/proxies$/);
});

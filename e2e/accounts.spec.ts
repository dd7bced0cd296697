import {
  confirmEmail,
  createAccount,
  createCustomer,
  expect,
  fillSignIn,
  PASSWORD,
  readMail,
  signIn,
  test,
} from './product.ts';

test.describe('a Russian-speaking user', () => {
  test.use({ locale: 'ru-RU' });

  test('follows an invitation, and the link of the mail signs in where the sign-up was, all in Russian', async ({
    page,
  }) => {
    await page.goto('/sign-up?rc=WELCOME');
    await expect(page.getByLabel('Реферальный код')).toHaveValue('WELCOME');
    await page.getByLabel('Email').fill('чужой@example.com');
    await page.getByRole('button', { name: 'Зарегистрироваться' }).click();
    await expect(page.getByText('Неверный формат email')).toBeVisible();
    await page.getByLabel('Email').fill('invited@example.com');
    await page.getByLabel('Пароль', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Повторите пароль').fill(PASSWORD);
    await page.getByRole('button', { name: 'Зарегистрироваться' }).click();
    await expect(page.getByRole('heading', { name: 'Подтвердите email' })).toBeVisible();
    await expect(page.getByText(/Повторная отправка будет доступна через 0 минут \d+ секунд/)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Отправить ещё раз' })).toBeDisabled();

    await confirmEmail(page, 'invited@example.com');
    await expect(page).toHaveURL(/\/proxies$/);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Прокси');
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('sign-up');
  });

  test('confirms in another browser and signs in with the password', async ({ page, context }) => {
    await createAccount(page, 'elsewhere@example.com', 'ru');
    await context.clearCookies();
    await confirmEmail(page, 'elsewhere@example.com');
    await expect(page.getByRole('heading', { level: 1 })).toContainText(/подтвержд/i);
    await page.getByRole('link', { name: 'Войти' }).click();
    await expect(page).toHaveURL(/\/sign-in$/);
    await page.getByLabel('Email').fill('elsewhere@example.com');
    await page.getByLabel('Пароль', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Войти' }).click();
    await expect(page).toHaveURL(/\/proxies$/);
  });
});

test('a recovery email replaces a forgotten password, and the old one stops working', async ({ page }) => {
  const email = 'forgetful@example.com';
  await createCustomer(page, email);
  await page.goto('/sign-in');
  await page.getByRole('link', { name: 'Restore access' }).click();
  // The field of the sign-in page has the same name.
  await expect(page.getByRole('heading', { name: 'Restore access', level: 1 })).toBeVisible();
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Send the link' }).click();
  await expect(page.getByText('Check your email')).toBeVisible();
  await expect.poll(async () => (await readMail(page, email)).links[0]).toContain('set-password');
  const link = new URL((await readMail(page, email)).links[0]!);

  await page.goto(link.pathname + link.search);
  await page.getByLabel('New password').fill('another long password');
  await page.getByLabel('Confirm password').fill('another long password');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'Password saved' })).toBeVisible();

  await page.getByRole('link', { name: 'Sign in' }).click();
  await fillSignIn(page, email);
  await expect(page.getByRole('alert')).toContainText('Invalid email or password');
  await signIn(page, email, 'another long password');
});

test('sign-in switches to the language of the account, and a language change is saved', async ({ page }) => {
  const email = 'bilingual@example.com';
  await createCustomer(page, email, 'ru');
  await page.goto('/sign-in');
  await fillSignIn(page, email);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Прокси');
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru');
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Прокси');

  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await page.getByLabel('Язык').selectOption('en');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Proxies');
  expect((await saved).status()).toBe(200);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Proxies');

  // The next sign-in on another device reads it from the profile.
  await page.evaluate(() => localStorage.clear());
  await page.evaluate(() => localStorage.setItem('language', '"ru"'));
  await page.goto('/sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Пароль', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Войти' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Proxies');
});

import {
  ageCodes,
  createAccount,
  createCustomer,
  expect,
  fillSignIn,
  openLink,
  PASSWORD,
  readMail,
  signIn,
  test,
} from './product.ts';

test.describe('a Russian-speaking user', () => {
  test.use({ locale: 'ru-RU' });

  test('follows an invitation, confirms the email and signs in, all in Russian', async ({ page }) => {
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

    await openLink(page, 'invited@example.com');
    await expect(page.getByRole('heading', { level: 1 })).toContainText(/подтвержд/i);
    await page.getByRole('link', { name: 'Войти' }).click();
    await expect(page).toHaveURL(/\/sign-in$/);
    await page.getByLabel('Email').fill('invited@example.com');
    await page.getByLabel('Пароль', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Войти' }).click();
    await expect(page).toHaveURL(/\/proxies$/);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Прокси');
  });
});

test('an unconfirmed account can request another email at sign-in after a countdown', async ({ page, database }) => {
  const email = 'late@example.com';
  await createAccount(page, email);
  const { links: firstLinks } = await readMail(page, email);
  await page.clock.install();
  await page.goto('/sign-in');
  await fillSignIn(page, email);
  await expect(page.getByRole('heading', { name: 'Email is not confirmed' })).toBeVisible();
  await expect(page.getByText(/Resend is available in 0 minutes \d+ seconds?/)).toBeVisible();
  const resend = page.getByRole('button', { name: 'Send again' });
  await expect(resend).toBeDisabled();

  await test.step('a clock that is ahead does not shorten the countdown', async () => {
    await page.clock.fastForward(60_000);
    await resend.click();
    await expect(page.getByText(/Too short interval for resending. Wait 0 minutes \d+ seconds?/)).toBeVisible();
    await expect(resend).toBeDisabled();
  });

  await test.step('after the countdown a new email arrives, and the next countdown is longer', async () => {
    await ageCodes(database, email, 1);
    await page.clock.fastForward(60_000);
    await resend.click();
    const toast = page.getByText('A new email has been successfully sent');
    await expect(toast).toBeVisible();
    await expect(page.getByText(/Resend is available in (?:1 minute 5\d|2 minutes 0) seconds/)).toBeVisible();
    await page.clock.fastForward(5000);
    await expect(toast).toBeHidden();
    await expect.poll(async () => (await readMail(page, email)).links).not.toEqual(firstLinks);
  });

  await test.step('an account that was confirmed meanwhile shows a message', async () => {
    const { pathname, search } = new URL((await readMail(page, email)).links[0]!);
    await page.request.get(pathname + search);
    await page.clock.fastForward(120_000);
    await resend.click();
    await expect(page.getByText('Email has already been confirmed')).toBeVisible();
  });

  await test.step('the notice disappears, and the form is shown again, with the email', async () => {
    await expect(page.getByLabel('Email')).toHaveValue(email);
    await expect(page.getByLabel('Password', { exact: true })).toHaveValue('');
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
  await page.getByLabel('Confirm password').fill('another long passwors');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Passwords do not match')).toBeVisible();
  await test.step('a change of one password field validates both', async () => {
    await page.getByLabel('New password').fill('another long passwors');
    await expect(page.getByText('Passwords do not match')).toBeHidden();
    await page.getByLabel('New password').fill('another long password');
    await expect(page.getByText('Passwords do not match')).toBeVisible();
  });
  await page.getByLabel('Confirm password').fill('another long password');
  await expect(page.getByText('Passwords do not match')).toBeHidden();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'Password saved' })).toBeVisible();

  await page.getByRole('link', { name: 'Sign in' }).click();
  await fillSignIn(page, email);
  await expect(page.getByRole('alert')).toContainText('Invalid email or password');
  await signIn(page, email, 'another long password');
});

test('used and expired links show a message', async ({ page, database }) => {
  const email = 'slow@example.com';
  await test.step('a confirmation link after a day, and twice', async () => {
    await createAccount(page, email);
    await readMail(page, email);
    await ageCodes(database, email, 24 * 60 + 1);
    await openLink(page, email);
    await expect(page).toHaveURL(/\/public-message\?message=/);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(/expired|too old/i);
    await ageCodes(database, email, -24 * 60);
    await openLink(page, email);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(/is confirmed|now confirmed/i);
    await openLink(page, email);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(/already/i);
  });

  const setPassword = async (path: string) => {
    await page.goto(path);
    await page.getByLabel('New password').fill('another long password');
    await page.getByLabel('Confirm password').fill('another long password');
    await page.getByRole('button', { name: 'Save' }).click();
  };
  await test.step('a recovery link after half an hour, and twice', async () => {
    await page.request.post('/v1/auth/recovery-password', { data: { email } });
    await expect.poll(async () => (await readMail(page, email)).links[0]).toContain('set-password');
    const { pathname, search } = new URL((await readMail(page, email)).links[0]!);
    await ageCodes(database, email, 31);
    await setPassword(pathname + search);
    await expect(page.getByRole('alert')).toContainText('Link has expired');
    await ageCodes(database, email, -30);
    await setPassword(pathname + search);
    await expect(page.getByRole('heading', { name: 'Password saved' })).toBeVisible();
    await setPassword(pathname + search);
    await expect(page.getByRole('alert')).toContainText('No recovery session found');
    await page.getByRole('link', { name: 'Restore access' }).click();
    await expect(page).toHaveURL(/\/restore-access$/);
  });
});

test('recovery has a countdown too, and an unconfirmed account must confirm first', async ({ page, database }) => {
  await test.step('a notice counts down to the next email', async () => {
    await createCustomer(page, 'twice@example.com');
    await page.clock.install();
    await page.goto('/restore-access');
    await page.getByLabel('Email').fill('twice@example.com');
    await page.getByRole('button', { name: 'Send the link' }).click();
    await expect(page.getByText(/Resend is available in 0 minutes \d+ seconds?/)).toBeVisible();
    await ageCodes(database, 'twice@example.com', 1);
    await page.clock.fastForward(60_000);
    await page.getByRole('button', { name: 'Send again' }).click();
    await expect(page.getByText('A new email has been successfully sent')).toBeVisible();
  });

  await test.step('the form is empty after leaving and coming back', async () => {
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Restore access' }).click();
    // The sign-in page has such a field too.
    await expect(page.getByRole('heading', { name: 'Restore access', level: 1 })).toBeVisible();
    await expect(page.getByLabel('Email')).toHaveValue('');
  });

  await test.step('an unconfirmed account sees the confirmation notice', async () => {
    await createAccount(page, 'unready@example.com');
    await page.getByLabel('Email').fill('unready@example.com');
    await page.getByRole('button', { name: 'Send the link' }).click();
    await expect(page.getByRole('heading', { name: 'Email is not confirmed' })).toBeVisible();
  });
});

test('sign-in switches to the language of the account, and a language change is saved', async ({ page }) => {
  const email = 'bilingual@example.com';
  await createCustomer(page, email, 'ru');
  await page.goto('/sign-in');
  await fillSignIn(page, email);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Прокси');
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru');

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

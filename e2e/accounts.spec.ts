import { createCustomer, expect, readMail, signIn, test } from './product.ts';

const PASSWORD = 'a long enough password';

test('mistakes in the sign-up form are told under their fields, and a wrong code above them', async ({ page }) => {
  await page.goto('/sign-up');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await expect(page.getByText('Required field')).toHaveCount(4);
  await page.getByLabel('Email').fill('not an email');
  await page.getByLabel('Password', { exact: true }).fill('short');
  await page.getByLabel('Confirm password').fill('other');
  await page.getByLabel('Referral code').fill('abc');
  for (const text of ['Invalid email format', 'Minimum length 8', 'Passwords do not match', 'Minimum length 5'])
    await expect(page.getByText(text)).toBeVisible();

  await page.getByLabel('Email').fill('careful@example.com');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Confirm password').fill(PASSWORD);
  await page.getByLabel('Referral code').fill('NOSUCHCODE');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await expect(page.getByRole('alert')).toContainText('Referral code not found');
});

test('an unconfirmed account is told so at sign-in, with a countdown until the mail may be sent again', async ({
  page,
}) => {
  const body = { languageCode: 'en', email: 'late@example.com', password: PASSWORD, referralCode: 'WELCOME' };
  await page.request.post('/v1/auth/sign-up', { data: body });
  await page.goto('/sign-in');
  await page.getByLabel('Email').fill('late@example.com');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Email is not confirmed')).toBeVisible();
  await expect(page.getByText(/Resend is available in 0 minutes \d+ seconds/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send again' })).toBeDisabled();
});

test('a forgotten password is replaced by mail, and the old one works no more', async ({ page }) => {
  await createCustomer(page, 'forgetful@example.com', PASSWORD);
  await page.goto('/sign-in');
  await page
    .getByRole('link', { name: 'Forgot your password?' })
    .or(page.getByRole('link', { name: 'Restore access' }))
    .first()
    .click();
  await page.getByLabel('Email').fill('forgetful@example.com');
  await page.getByRole('button', { name: 'Send the link' }).click();
  await expect(page.getByText('Check your mail')).toBeVisible();
  await expect.poll(async () => (await readMail(page, 'forgetful@example.com')).links[0]).toContain('set-password');
  const mail = await readMail(page, 'forgetful@example.com');
  const { pathname, search } = new URL(mail.links[0]!);
  await page.goto(pathname + search);
  await page.getByLabel('New password').fill('another long password');
  await page.getByLabel('Confirm password').fill('another long password');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('The new password is saved.', { exact: false })).toBeVisible();

  await page.goto('/sign-in');
  await page.getByLabel('Email').fill('forgetful@example.com');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).toContainText('Invalid email or password');
  await signIn(page, 'forgetful@example.com', 'another long password');
});

test('logging out ends the session in every tab, and protected pages lead to sign-in', async ({ page, context }) => {
  await signIn(page, 'user@example.com', 'demo-password');
  const other = await context.newPage();
  await other.goto('/connection-history');
  await expect(other.getByRole('heading', { level: 1 })).toContainText('Connection history');
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Log Out' }).click();
  await expect(page).toHaveURL(/\/sign-in$/);
  await expect(other).toHaveURL(/\/sign-in$/);
  await page.goto('/proxies');
  await expect(page).toHaveURL(/\/sign-in$/);
});

import type { Browser, Page } from '@playwright/test';
import { authenticatorCode } from './authenticator.ts';
import { clickTwice, createCustomer, enter, expect, fillSignIn, PASSWORD, SIGN_IN, test } from './product.ts';

/** A page in another browser context. */
async function otherBrowser(browser: Browser, baseURL: string): Promise<Page> {
  const context = await browser.newContext({ baseURL, userAgent: 'Mozilla/5.0 (Windows NT 10.0) Firefox/145.0' });
  return context.newPage();
}

test('two-factor sign-in: set-up, sign-in with a code, sign-in with a recovery code', async ({ page }) => {
  const email = 'careful-two@example.com';
  await createCustomer(page, email);
  await enter(page, '/proxies', email);
  const secret = await test.step('set-up from the account menu', () => setUp(page));
  const recoveryCodes = await test.step('the recovery codes are shown once and can be downloaded', () =>
    saveRecoveryCodes(page));
  await test.step('the next sign-in requires a code', () => signInWithCode(page, email, secret));
  await test.step('a recovery code replaces the app once', () =>
    signInWithRecoveryCode(page, email, recoveryCodes[0]!));
  await test.step('new recovery codes replace the old ones; two-factor sign-in can be switched off', () =>
    replaceCodesAndSwitchOff(page, recoveryCodes));
});

const dialogOf = (page: Page) => page.getByRole('dialog');
const sectionOf = (page: Page) => page.locator('#second-factor');

/** @returns the secret of the authenticator app */
async function setUp(page: Page): Promise<string> {
  const dialog = dialogOf(page);
  const section = sectionOf(page);
  await chooseInMenu(page, 'Account settings');
  await expect(page).toHaveURL(/\/account$/);
  await section.getByRole('button', { name: 'Set up' }).click();
  // The code of the form loads after the dialog.
  await expect(dialog.getByLabel('Current password')).toBeFocused();
  await dialog.getByLabel('Current password').fill('not my password');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(dialog.getByRole('alert')).toContainText('The password is wrong');
  await dialog.getByLabel('Current password').fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(dialog.getByRole('img', { name: 'QR code for the authenticator app' })).toBeVisible();
  // The focused button was removed with its step.
  await expect(dialog.getByText('Scan this code')).toBeFocused();
  const secret = await dialog.locator('code').innerText();
  await dialog.getByLabel('Code from the app').fill('12345');
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await expect(dialog.getByText('The code has 6 digits')).toBeVisible();
  await dialog.getByLabel('Code from the app').fill(authenticatorCode(secret));
  // A code works once: a second request would fail and hide the recovery codes.
  await clickTwice(dialog.getByRole('button', { name: 'Turn on' }));
  return secret;
}

async function saveRecoveryCodes(page: Page): Promise<string[]> {
  const dialog = dialogOf(page);
  const section = sectionOf(page);
  await expect(dialog.getByRole('listitem')).toHaveCount(10);
  await expect(dialog.getByText('Keep these codes in a safe place')).toBeFocused();
  const recoveryCodes = await dialog.getByRole('listitem').allInnerTexts();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeVisible();
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe('cellhop-recovery-codes.txt');
  await dialog.getByRole('button', { name: 'I have saved them' }).click();
  await expect(section).toContainText('10 unused codes left');
  return recoveryCodes;
}

async function signInWithCode(page: Page, email: string, secret: string): Promise<void> {
  await logOut(page);
  await fillSignIn(page, email);
  await expect(page.getByRole('heading', { name: 'Two-factor sign-in' })).toBeVisible();
  await page.getByRole('button', { name: 'Back to email and password' }).click();
  await expect(page.getByLabel('Email')).toHaveValue(email);
  await fillSignIn(page, email);
  await page.getByLabel('Code from the app').fill('000000');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).toContainText('The code is wrong or has already been used');
  const code = authenticatorCode(secret, 1);
  await page.getByLabel('Code from the app').fill(`${code.slice(0, 3)} ${code.slice(3)}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(/\/proxies$/);
}

async function signInWithRecoveryCode(page: Page, email: string, recoveryCode: string): Promise<void> {
  const section = sectionOf(page);
  await logOut(page);
  await fillSignIn(page, email);
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await page.getByLabel('Recovery code').fill(recoveryCode);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(/\/proxies$/);
  await chooseInMenu(page, 'Account settings');
  await expect(section).toContainText('9 unused codes left');
}

async function replaceCodesAndSwitchOff(page: Page, recoveryCodes: readonly string[]): Promise<void> {
  const dialog = dialogOf(page);
  const section = sectionOf(page);
  await section.getByRole('button', { name: 'New codes' }).click();
  await dialog.getByLabel('Current password').fill(PASSWORD);
  await dialog.getByLabel('Code from the app, or a recovery code').fill(recoveryCodes[0]!);
  await dialog.getByRole('button', { name: 'Show new codes' }).click();
  await expect(dialog.getByRole('alert')).toContainText('The code is wrong or has already been used');
  await dialog.getByLabel('Code from the app, or a recovery code').fill(recoveryCodes[1]!);
  await clickTwice(dialog.getByRole('button', { name: 'Show new codes' }));
  await expect(dialog.getByRole('listitem')).toHaveCount(10);
  const [newCode] = await dialog.getByRole('listitem').allInnerTexts();
  await dialog.getByRole('button', { name: 'I have saved them' }).click();
  await section.getByRole('button', { name: 'Turn off' }).click();
  await dialog.getByLabel('Current password').fill(PASSWORD);
  await dialog.getByLabel('Code from the app, or a recovery code').fill(newCode!);
  await dialog.getByRole('button', { name: 'Turn off' }).click();
  await expect(section.getByRole('button', { name: 'Set up' })).toBeVisible();
}

test('ending a session in the list signs that browser out', async ({ page, browser, baseURL }) => {
  const email = 'many-devices@example.com';
  await createCustomer(page, email);
  const laptop = await otherBrowser(browser, baseURL);
  const tablet = await otherBrowser(browser, baseURL);
  await enter(laptop, '/connection-history', email);
  await enter(tablet, '/connection-history', email);
  await enter(page, '/account', email);

  const sessions = page.locator('#sessions');
  await expect(sessions.getByRole('listitem')).toHaveCount(3);
  await expect(sessions.getByRole('listitem').first()).toContainText('This device');
  await expect(sessions.getByRole('listitem').first()).toContainText('127.0.0.1');
  await sessions.getByRole('button', { name: 'Sign out Firefox on Windows, 127.0.0.1' }).first().click();
  await expect(page.getByText('The session has ended')).toBeVisible();
  await expect(sessions.getByRole('listitem')).toHaveCount(2);
  // The focused button was removed.
  await expect(sessions.getByRole('heading', { name: 'Sessions' })).toBeFocused();
  // The other sessions start with the newest.
  await expect(tablet).toHaveURL(SIGN_IN);

  await sessions.getByRole('button', { name: 'Sign out all others' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out all others' }).click();
  await expect(page.getByText('1 device is signed out')).toBeVisible();
  await expect(sessions.getByRole('listitem')).toHaveCount(1);
  await expect(laptop).toHaveURL(SIGN_IN);
  await laptop.context().close();
  await tablet.context().close();
});

test('a new password signs out all other browsers, but not this one', async ({ page, browser, baseURL }) => {
  const email = 'cautious@example.com';
  await createCustomer(page, email);
  await enter(page, '/account', email);
  const other = await otherBrowser(browser, baseURL);
  await enter(other, '/proxies', email);

  const form = page.locator('#password');
  const submit = form.getByRole('button', { name: 'Change password' });
  await submit.click();
  await expect(form.getByText('Required field')).toHaveCount(3);
  await form.getByLabel('Current password').fill('not my password');
  await form.getByLabel('New password').fill('another long password');
  await form.getByLabel('Confirm password').fill('another long password');
  await submit.click();
  await expect(form.getByRole('alert')).toContainText('The password is wrong');
  await form.getByLabel('Current password').fill(PASSWORD);
  await clickTwice(submit);
  await expect(page.getByText('Your password was changed.', { exact: false })).toBeVisible();
  await expect(form.getByLabel('New password')).toHaveValue('');
  await expect(form.getByRole('alert')).toHaveCount(0);

  await expect(other).toHaveURL(SIGN_IN);
  await fillSignIn(other, email);
  await expect(other.getByRole('alert')).toContainText('Invalid email or password');
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Account');
  await other.context().close();
});

test('an easily guessed password shows an error under its field', async ({ page }) => {
  const email = 'careless@example.com';
  await createCustomer(page, email);
  await enter(page, '/account', email);
  const form = page.locator('#password');
  await form.getByLabel('Current password').fill(PASSWORD);
  await form.getByLabel('New password').fill('password123');
  await form.getByLabel('Confirm password').fill('password123');
  await form.getByRole('button', { name: 'Change password' }).click();
  await expect(form.getByText('This password is too easy to guess', { exact: false })).toBeVisible();

  await test.step('the keyboard reaches the button that shows it', async () => {
    const password = form.getByLabel('New password');
    await password.focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(password).toHaveAttribute('type', 'text');
  });
});

async function logOut(page: Page): Promise<void> {
  await chooseInMenu(page, 'Log Out');
  await expect(page).toHaveURL(/\/sign-in$/);
}

async function chooseInMenu(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name }).click();
}

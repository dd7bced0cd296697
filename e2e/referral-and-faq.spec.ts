import type { Browser, Page } from '@playwright/test';
import { createCustomer, enter, expect, PASSWORD, test } from './product.ts';

const refusal = { statusCode: 500, error: 'Internal Server Error', code: 'INTERNAL', message: 'Internal Server Error' };

test('a customer invites others and reads the FAQ in their language', async ({ page, browser }) => {
  const email = 'inviter@example.com';
  await createCustomer(page, email);
  await page.clock.install();
  const api = await failingApi(page);
  await test.step('the level, and the top-ups left to the next one', async () => {
    await enter(page, '/referral-system', email);
    await checkLevel(page, api);
  });
  const link = await test.step('copying the link shows a confirmation for two seconds', () => copyLink(page));
  await test.step('the link fills in the code, and the sign-up is counted', () => followLink(page, browser, link));
  await test.step('questions and answers, in English and in Russian', () => readFaq(page, api));
});

interface FailingApi {
  isDown: boolean;
}

/** The referral programme and the FAQ return errors while `isDown`. */
async function failingApi(page: Page): Promise<FailingApi> {
  const api = { isDown: true };
  for (const path of ['**/v1/referral-system', '**/v1/faqs?*'])
    await page.route(path, (route) => (api.isDown ? route.fulfill({ status: 500, json: refusal }) : route.continue()));
  return api;
}

async function checkLevel(page: Page, api: FailingApi): Promise<void> {
  const main = page.getByRole('main');
  await expect(main.getByRole('alert')).toContainText('The referral programme could not be loaded');
  api.isDown = false;
  await main.getByRole('button', { name: 'Try again' }).click();
  await expect(main.getByRole('region', { name: 'Your level this month' })).toContainText(/Basic.*0%/);
  await expect(main.getByText('Needed for Silver next month').locator('..')).toContainText('1 top-up');
  await expect(main.getByText('Registered users').locator('..')).toContainText('0');
  await expect(main.getByRole('row')).toHaveText([
    /Level.*Minimum payments.*Maximum payments.*Bonus/,
    /Basic.*Yours.*0.*0.*0%/,
    /Silver.*1.*5.*10%/,
    /Gold.*6.*10.*15%/,
    /Platinum.*10.*21.*20%/,
    /Partner.*22.*∞.*25%/,
  ]);
  await expect(main.getByText('10 top-ups give you Gold with a 15% bonus', { exact: false })).toBeVisible();
}

async function copyLink(page: Page): Promise<string> {
  const main = page.getByRole('main');
  const copy = main.getByRole('button', { name: /^Copy Referral link: / });
  const link = await copy.innerText();
  await copy.hover();
  await expect(page.getByText('Click to copy')).toBeVisible();
  await copy.click();
  const copied = main.getByRole('status').filter({ hasText: 'Copied' });
  await expect(copied).toHaveCount(1);
  await page.clock.fastForward(2000);
  await expect(copied).toHaveCount(0);
  return link;
}

async function followLink(page: Page, browser: Browser, link: string): Promise<void> {
  const main = page.getByRole('main');
  const { pathname, search } = new URL(link);
  const context = await browser.newContext({ baseURL: new URL(page.url()).origin });
  const friend = await context.newPage();
  await friend.goto(pathname + search);
  await friend.getByLabel('Email').fill('invited-friend@example.com');
  await friend.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await friend.getByLabel('Confirm password').fill(PASSWORD);
  await friend.getByRole('button', { name: 'Sign up' }).click();
  await expect(friend.getByRole('heading', { name: 'Confirm your email' })).toBeVisible();
  await context.close();
  await page.reload();
  await expect(main.getByText('Registered users').locator('..')).toContainText('1');
}

async function readFaq(page: Page, api: FailingApi): Promise<void> {
  const main = page.getByRole('main');
  api.isDown = true;
  await page.getByRole('link', { name: 'FAQ' }).click();
  await expect(main.getByRole('alert')).toContainText('Failed loaded faq list');
  api.isDown = false;
  await main.getByRole('button', { name: 'Try again' }).click();
  await expect(main.getByText('One megabyte is 1,048,576 bytes', { exact: false })).toBeVisible();
  const answer = main.getByText('There is no subscription and no fee for time', { exact: false });
  await expect(answer).toBeHidden();
  await main.getByText('What do I pay for?').focus();
  await page.keyboard.press('Enter');
  await expect(answer).toBeVisible();
  await page.getByLabel('Language').selectOption('ru');
  await expect(main.getByText('Подписки и платы за время нет', { exact: false })).toBeHidden();
  await expect(main.getByText('За что я плачу?')).toBeVisible();
  await expect(main.getByText('What do I pay for?')).toHaveCount(0);
  await main.getByRole('link', { name: 'Напишите в поддержку' }).click();
  await expect(page).toHaveURL(/\/support\/tickets\?create=true$/);
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
}

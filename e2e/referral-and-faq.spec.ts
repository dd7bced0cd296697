import { createCustomer, enter, expect, PASSWORD, test } from './product.ts';

const refusal = { statusCode: 500, error: 'Internal Server Error', code: 'INTERNAL', message: 'Internal Server Error' };

test('a customer invites others, and reads the questions and answers in his language', async ({ page, browser }) => {
  const email = 'inviter@example.com';
  await createCustomer(page, email);
  await page.clock.install();
  let isDown = true;
  for (const path of ['**/v1/referral-system', '**/v1/faqs?*'])
    await page.route(path, (route) => (isDown ? route.fulfill({ status: 500, json: refusal }) : route.continue()));
  const main = page.getByRole('main');
  let link = '';

  await test.step('his level, and what it takes to rise', async () => {
    await enter(page, '/referral-system', email);
    await expect(main.getByRole('alert')).toContainText('The referral programme could not be loaded');
    isDown = false;
    await main.getByRole('button', { name: 'Try again' }).click();
    await expect(main.getByRole('region', { name: 'Your level this month' })).toContainText(/Basic.*0%/);
    await expect(main.getByText('Missing for Silver next month').locator('..')).toContainText('1 top-up');
    await expect(main.getByText('Registered users').locator('..')).toContainText('0');
    await expect(main.getByRole('row')).toHaveText([
      /Level.*Minimum payments.*Maximum payments.*Bonus/,
      /Basic.*Yours.*0.*0.*0%/,
      /Silver.*1.*5.*10%/,
      /Gold.*6.*10.*15%/,
      /Platinum.*10.*21.*20%/,
      /Partner.*22.*∞.*25%/,
    ]);
    await expect(main.getByText('10 top-ups in a month give Gold with a 15% bonus', { exact: false })).toBeVisible();
  });

  await test.step('copies his link; it says so for two seconds', async () => {
    const copy = main.getByRole('button', { name: 'Copy Referral link' });
    link = await copy.innerText();
    await copy.hover();
    await expect(page.getByText('Click to copy')).toBeVisible();
    await copy.click();
    const copied = main.getByRole('status').filter({ hasText: 'Copied' });
    await expect(copied).toHaveCount(1);
    await page.clock.fastForward(2000);
    await expect(copied).toHaveCount(0);
  });

  await test.step('whoever follows it finds the code filled in, and is counted', async () => {
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
  });

  await test.step('questions and answers, in English and in Russian', async () => {
    isDown = true;
    await page.getByRole('link', { name: 'FAQ' }).click();
    await expect(main.getByRole('alert')).toContainText('Failed loaded faq list');
    isDown = false;
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
    await main.getByRole('link', { name: 'Задайте его поддержке' }).click();
    await expect(page).toHaveURL(/\/support\/tickets\?create=true$/);
    await expect(page.getByRole('dialog')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
  });
});

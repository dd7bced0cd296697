import { AxeBuilder } from '@axe-core/playwright';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import { once } from 'node:events';
import type { Page, Route } from '@playwright/test';
import { mockResponses } from './gallery-screen.ts';
import { limited, ticketScreens } from './gallery-tickets.ts';
import { clickTwice, createCustomer, enter, expect, test } from './product.ts';

const isPost = (route: Route) => route.request().method() === 'POST';

test('the FAQ is shown in the language of the user', async ({ page }) => {
  await createCustomer(page, 'curious@example.com');
  await enter(page, '/faq', 'curious@example.com');
  const questions = page.locator('main details');
  await expect(questions.nth(5)).toBeVisible();
  const english = await questions.first().innerText();
  const second = questions.nth(1);
  await expect(second).not.toHaveAttribute('open');
  await second.locator('summary').focus();
  await page.keyboard.press('Enter');
  await expect(second).toHaveAttribute('open');
  await page.getByLabel('Language').selectOption('ru');
  await expect(questions.first()).not.toHaveText(english);
  await expect(questions.first()).toContainText(/[а-я]{4}/);
});

test('a user opens a ticket, writes, keeps a draft and closes it', async ({ page }) => {
  const email = 'asking@example.com';
  // Counts only requests of the screen itself, not those that live events cause.
  await page.route(`**${LIVE_EVENTS_PATH}`, (route) => route.abort());
  await createCustomer(page, email);
  await test.step('a list that fails to load can be retried', () => retryList(page, email));
  await test.step('the form shows its errors', () => refuseTicket(page));
  await test.step('a double click opens one ticket', () => openTicket(page));
  await test.step('messages', () => writeMessages(page));
  await test.step('a rate-limited user sees the waiting time and keeps their text', () => exceedLimit(page));
  await test.step('a draft survives a reload', () => keepDraft(page));
  await test.step('closing asks for confirmation, and a double click sends one request', () => closeTicket(page));
  await test.step('a rate-limited ticket, a missing one and a closed one', () => openOtherTickets(page));
});

const dialogOf = (page: Page) => page.getByRole('dialog');
const messageOf = (page: Page) => page.getByLabel('Your message');
const crumbsOf = (page: Page) => page.getByRole('navigation', { name: 'Breadcrumbs' });

async function retryList(page: Page, email: string): Promise<void> {
  await page.route('**/v1/support/tickets?*', (route) => route.fulfill({ status: 500, json: {} }));
  await enter(page, '/support/tickets', email);
  await expect(page.getByRole('alert')).toContainText('Failed loaded tickets');
  await page.unroute('**/v1/support/tickets?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('You have no tickets yet', { exact: false })).toBeVisible();
}

async function refuseTicket(page: Page): Promise<void> {
  const dialog = dialogOf(page);
  await page.getByRole('button', { name: 'Open ticket' }).click();
  await dialog.getByLabel('Name').fill('Why');
  await dialog.getByLabel('Description').fill('      ');
  await dialog.getByRole('button', { name: 'Open ticket' }).click();
  await expect(dialog.getByText('Minimum length 5')).toBeVisible();
  await expect(dialog.getByText('Field cannot contain only spaces')).toBeVisible();
}

async function openTicket(page: Page): Promise<void> {
  const dialog = dialogOf(page);
  await dialog.getByLabel('Name').fill('Why was I charged?');
  await dialog.getByLabel('Description').fill('Two megabytes more\nthan I think.');

  const requests: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'GET' && /\/v1\/support\/tickets\/[^/]+$/.test(request.url()))
      requests.push(request.url());
  });
  await dialog.getByRole('button', { name: 'Open ticket' }).dblclick();
  await expect(page).toHaveURL(/\/support\/tickets\/[0-9a-f-]{36}$/);
  await expect(page.getByRole('heading', { name: 'Why was I charged?' })).toBeVisible();
  expect(requests).toEqual([]);
  await expect(crumbsOf(page)).toContainText('Why was I charged?');
}

async function writeMessages(page: Page): Promise<void> {
  const message = messageOf(page);
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByText('Required field')).toBeVisible();
  await test.step('the button keeps the focus while the request runs', () => sendByKeyboard(page));
  await message.fill('Second');
  await page.getByRole('button', { name: 'Send' }).dblclick();
  const messages = page.getByRole('region', { name: 'Messages' }).getByRole('listitem');
  await expect(messages).toHaveText([/You.*Second$/, /You.*First$/]);
  await expect(messages.first()).toHaveCSS('justify-self', 'end');

  const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21aa']).analyze();
  expect(violations).toEqual([]);
}

async function sendByKeyboard(page: Page): Promise<void> {
  const message = messageOf(page);
  const send = page.getByRole('button', { name: 'Send' });
  const response = new AbortController();
  const responded = once(response.signal, 'abort');
  await page.route('**/messages', async (route) => {
    await responded;
    await route.continue();
  });
  await message.fill('First');
  await send.focus();
  await page.keyboard.press('Enter');
  await expect(send).toHaveAttribute('aria-busy', 'true');
  await expect(send).toBeFocused();
  response.abort();
  await expect(message).toHaveValue('');
  await expect(send).toBeFocused();
  await page.unroute('**/messages');
}

async function exceedLimit(page: Page): Promise<void> {
  const message = messageOf(page);
  await page.route('**/messages', (route) => (isPost(route) ? route.fulfill(limited) : route.continue()));
  await message.fill('One more thing');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByText('Your text is saved: send it in 13 minutes.', { exact: false })).toBeVisible();
  await expect(message).toHaveValue('One more thing');
  await page.unroute('**/messages');
}

async function keepDraft(page: Page): Promise<void> {
  const message = messageOf(page);
  await message.fill('Half a thou');
  await page.reload();
  await expect(message).toHaveValue('Half a thou');
}

async function closeTicket(page: Page): Promise<void> {
  const dialog = dialogOf(page);
  const message = messageOf(page);
  const close = page.getByRole('button', { name: 'Close ticket' });
  await close.click();
  await expect(dialog.getByRole('heading', { name: 'Close this ticket?' })).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(close).toBeFocused();
  await expect(message).toBeVisible();
  await page.keyboard.press('Enter');
  const closings: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') closings.push(request.url());
  });
  await clickTwice(dialog.getByRole('button', { name: 'Close ticket' }));
  await expect(page.getByText('This ticket is closed', { exact: false })).toBeVisible();
  await expect(message).toBeHidden();
  await expect(close).toBeHidden();
  expect(closings).toHaveLength(1);
  await expect(page.getByRole('heading', { name: 'Why was I charged?' })).toBeFocused();
}

async function openOtherTickets(page: Page): Promise<void> {
  const dialog = dialogOf(page);
  await page.getByRole('link', { name: 'Open a new ticket' }).click();
  await page.route('**/v1/support/tickets', (route) => (isPost(route) ? route.fulfill(limited) : route.continue()));
  await dialog.getByLabel('Name').fill('Another one');
  await dialog.getByLabel('Description').fill('With a description.');
  await dialog.getByRole('button', { name: 'Open ticket' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Try again in 13 minutes');
  await page.goto('/support/tickets/00000000-0000-4000-8000-000000000000');
  await expect(page.getByText('Failed loaded ticket')).toBeVisible();
  await expect(page.getByText('Ticket not found.', { exact: false })).toBeVisible();
  await crumbsOf(page).getByRole('link', { name: 'Support tickets' }).click();
  await expect(page.locator('main').getByRole('listitem').filter({ hasText: 'Why was I charged?' })).toContainText(
    'Closed',
  );
  await page.getByRole('link', { name: 'Open: Why was I charged?' }).click();
  await expect(page.getByText('Two megabytes more')).toBeVisible();
}

const stateOf = (name: string) => ticketScreens.find((screen) => screen.name === name)!;

test('pages of tickets and of messages are in the URL', async ({ page }) => {
  const pages = page.getByRole('navigation', { name: 'Pages' });
  const messages = page.getByRole('region', { name: 'Messages' }).getByRole('listitem');
  await mockResponses(page, { ...stateOf('tickets-many').responses, ...stateOf('ticket-long').responses });
  await enter(page, '/support/tickets', 'user@example.com', 'demo-password');
  const asked = page.waitForRequest(/\/v1\/support\/tickets\?page=3/);
  await pages.getByRole('button', { name: 'Page 3' }).click();
  await asked;
  await expect(page).toHaveURL(/\/support\/tickets\?page=3$/);
  await page.goBack();
  await expect(page).toHaveURL(/\/support\/tickets$/);

  await page
    .getByRole('link', { name: /^Open: / })
    .first()
    .click();
  await expect(messages).toHaveCount(7);
  await expect(messages.nth(1)).toHaveCSS('justify-self', 'start');
  await pages.getByRole('button', { name: 'Page 4' }).click();
  await page.reload();
  await expect(page).toHaveURL(/\?page=4$/);
  await expect(pages.getByRole('button', { name: 'Page 4' })).toHaveAttribute('aria-current', 'page');

  await test.step('a page after the last one links to the last one', async () => {
    await page.goto(`${new URL(page.url()).pathname}?page=9`);
    await expect(page.getByText('Page 9 no longer exists.')).toBeVisible();
    await page.goto('/support/tickets?page=9');
    await expect(page.getByText('Page 9 no longer exists.')).toBeVisible();
    await page.getByRole('button', { name: 'Go to the last page' }).click();
    await expect(page).toHaveURL(/\?page=3$/);
    await expect(page.getByRole('link', { name: /^Open: / })).toHaveCount(9);
  });
});

/** States of support, notifications and the app shell; screens.long.spec.ts uses some of them. */
import type { Page } from '@playwright/test';
import { expect } from './product.ts';
import { failure, ok, type Screen } from './gallery-screen.ts';

const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const createdAt = '2026-11-21T09:41:00.000Z';
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const LONG_NAME =
  'The connection to Berlin breaks after exactly 1,048,576 bytes, every time, with https://example.com/' +
  'a-very-long-path-without-any-place-to-break-'.repeat(2);
const LONG_TEXT =
  'Since yesterday evening about every third request takes longer than ten seconds.\n\n' +
  'I have tried: SOCKS5 and HTTP, three devices, two networks. '.repeat(4) +
  `\n\ncurl -x socks5h://name:password@host:1080 https://example.com/${'0123456789abcdef'.repeat(6)}`;

const openTicket = { id: id(1), name: LONG_NAME, description: LONG_TEXT, status: 'OPEN', createdAt };
const TICKET = `/v1/support/tickets/${id(1)}`;
const TICKETS = '/v1/support/tickets?*';
const NOTIFICATIONS = '/v1/notifications?*';
const MARK_READ = '/v1/notifications/mark-read';

const messages = numbers(7).map((number) => ({
  id: id(number),
  content: [
    'Thank you, that helped.',
    'Please try it with the address of the DNS port as well, and tell us what it says.',
    LONG_TEXT,
    'Ok',
  ][number % 4],
  isUser: number % 2 === 1,
  files: number === 2 ? [{ id: id(2), name: 'screenshot-of-the-error.png', type: 'image/png', size: 483_221 }] : [],
  createdAt,
}));
const tickets = numbers(9).map((number) => ({
  id: id(number),
  name: number === 2 ? LONG_NAME : ['Slow since this morning', 'Which ZIP codes are there?', 'Refund'][number % 3],
  description: 'Text',
  status: number < 4 ? 'OPEN' : 'CLOSED',
  createdAt,
}));
const notifications = [
  {
    description:
      'Proxy <a href="/connection-history">198.18.0.12</a> has been disconnected: there was no traffic for too long.',
    content: '<b>$0.12</b> for unused traffic has gone back to your balance.',
  },
  { description: '<b>$25.00</b> has been credited to your balance.', content: null },
  {
    description: `The support team has replied to your ticket <a href="/support/tickets/${id(1)}">${LONG_NAME}</a>.`,
    content: null,
  },
  { description: 'Your <a href="/referral-system">referral level</a> is now <b>Gold</b>.', content: null },
  {
    description: '<b>New countries</b>',
    content: '<p>This week came:</p><ul><li>Portugal</li><li>Chile</li></ul><a href="https://a.example">More</a>',
  },
].map((text, number) => ({ ...text, id: id(number), createdAt, isRead: number > 2 }));

const bell = (page: Page) => page.getByRole('button', { name: /^(?:Notifications|Уведомления)/ });
const openBell = async (page: Page) => {
  await bell(page).click();
  await expect(page.getByRole('dialog')).toBeVisible();
};

const ticketResponses = {
  [TICKET]: ok({ data: openTicket }),
  [`${TICKET}/messages?*`]: ok({ data: messages, totalPages: 4 }),
};
const closedTicketResponses = {
  ...ticketResponses,
  [TICKET]: ok({ data: { ...openTicket, name: 'Which ZIP codes are there?', status: 'CLOSED' } }),
};
const unreadResponses = {
  [NOTIFICATIONS]: ok({ data: notifications, totalPages: 2, unreadCount: 120 }),
  [MARK_READ]: failure,
};
const ticketPath = `/support/tickets/${id(1)}?page=2`;
/** The response to too many messages. */
const limited = {
  status: 429,
  headers: { 'retry-after': '780' },
  json: { statusCode: 429, error: 'Too Many Requests', code: 'RATE_LIMITED', message: 'Too many requests' },
};

export const ticketScreens: Screen[] = [
  { name: 'tickets-loading', path: '/support/tickets', responses: { [TICKETS]: 'PENDING' } },
  { name: 'tickets-failed', path: '/support/tickets', responses: { [TICKETS]: failure } },
  { name: 'tickets-empty', path: '/support/tickets', responses: { [TICKETS]: ok({ data: [], totalPages: 0 }) } },
  { name: 'tickets-many', path: '/support/tickets', responses: { [TICKETS]: ok({ data: tickets, totalPages: 3 }) } },
  {
    name: 'tickets-past-last',
    path: '/support/tickets?page=9',
    responses: { [TICKETS]: ok({ data: [], totalPages: 3 }) },
  },
  { name: 'ticket-loading', path: ticketPath, responses: { [TICKET]: 'PENDING', [`${TICKET}/messages?*`]: 'PENDING' } },
  { name: 'ticket-missing', path: ticketPath },
  { name: 'ticket-long', path: ticketPath, responses: ticketResponses },
  {
    name: 'ticket-mistakes',
    path: '/support/tickets?create=true',
    act: async (page) => {
      await page.getByRole('dialog').locator('textarea').fill('      ');
      await page.getByRole('dialog').locator('button[type=submit]').click();
      await expect(page.locator('[aria-invalid=true]')).toHaveCount(2);
    },
  },
  {
    name: 'ticket-closing',
    path: ticketPath,
    responses: ticketResponses,
    act: async (page) => {
      await page.locator('main article button').click();
      await expect(page.getByRole('dialog')).toBeVisible();
    },
  },
  {
    name: 'ticket-past-last',
    path: `/support/tickets/${id(1)}?page=9`,
    responses: { ...ticketResponses, [`${TICKET}/messages?*`]: ok({ data: [], totalPages: 4 }) },
  },
  {
    name: 'ticket-messages-failed',
    path: ticketPath,
    responses: { [TICKET]: ticketResponses[TICKET]!, [`${TICKET}/messages?*`]: 'OFFLINE' },
    // The request is retried first.
    act: (page) => page.getByRole('button', { name: /^(?:Try again|Повторить)$/ }).waitFor(),
  },
  { name: 'ticket-closed', path: ticketPath, responses: closedTicketResponses },
  {
    name: 'ticket-limited',
    path: ticketPath,
    responses: { ...ticketResponses, [`${TICKET}/messages`]: limited },
    act: async (page) => {
      await page.locator('main textarea').fill('One more thing.');
      await page.locator('main form button').click();
      await expect(page.locator('[data-kind=warning]')).toBeVisible();
    },
  },
  { name: 'notifications-loading', path: '/faq', responses: { [NOTIFICATIONS]: 'PENDING' }, act: openBell },
  { name: 'notifications-failed', path: '/faq', responses: { [NOTIFICATIONS]: failure }, act: openBell },
  { name: 'notifications-badge', path: '/faq', responses: unreadResponses },
  { name: 'notifications-unread', path: '/faq', responses: unreadResponses, act: openBell },
  {
    name: 'notifications-empty',
    path: '/faq',
    responses: { [NOTIFICATIONS]: ok({ data: [], totalPages: 0, unreadCount: 0 }) },
    act: openBell,
  },
  {
    name: 'offline',
    path: '/faq',
    // A real loss of network would break the next screenshot.
    responses: { '/v1/settings': 'OFFLINE' },
    act: (page) => page.evaluate(() => dispatchEvent(new Event('offline'))),
  },
  {
    name: 'account-menu',
    path: '/faq',
    act: (page) => page.getByRole('button', { name: /^(?:Account menu|Меню аккаунта)/ }).click(),
  },
  {
    name: 'menu-toggled',
    path: '/faq',
    act: (page) => page.locator('header button[aria-expanded]').first().click(),
  },
];

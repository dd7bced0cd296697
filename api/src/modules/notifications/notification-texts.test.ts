import { expect, test } from 'vitest';
import { renderNotification, type NotificationEvent } from './notification-texts.ts';
import { sanitizeHtml } from './sanitise-html.ts';

const ended = (reason: 'IDLE' | 'NO_MONEY' | 'EXIT_LOST' | 'ADMIN', refund = 0): NotificationEvent => ({
  kind: 'CONNECTION_ENDED',
  details: { ip: '198.18.0.1', reason, refund },
});
const notices: NotificationEvent[] = [
  { kind: 'TOP_UP', details: { amount: 25 } },
  { kind: 'TOP_UP_REVERSED', details: { amount: 25 } },
  { kind: 'TOP_UP_RESTORED', details: { amount: 25 } },
  { kind: 'ADJUSTMENT', details: { amount: 5 } },
  { kind: 'ADJUSTMENT', details: { amount: -0.5 } },
  { kind: 'CONNECTION_REFUNDED', details: { ip: '198.18.0.1', amount: 0.4 } },
  { kind: 'APPROVAL_REQUESTED', details: { amount: 500, list: 'PROMO_CODE' } },
  ended('IDLE'),
  ended('NO_MONEY'),
  ended('EXIT_LOST', 0.123_456),
  ended('ADMIN'),
  { kind: 'NOT_REPLACED', details: { ip: '198.18.0.1', isOutOfMoney: true, refund: 0 } },
  { kind: 'NOT_REPLACED', details: { ip: '198.18.0.1', isOutOfMoney: false, refund: 0.392 } },
  { kind: 'LOW_BALANCE', details: { balance: 0.95 } },
  { kind: 'REFERRAL_BONUS', details: { amount: 0.000_001, percent: 10 } },
  { kind: 'LEVEL_CHANGED', details: { level: 'GOLD', percent: 15, isHigher: true } },
  { kind: 'LEVEL_CHANGED', details: { level: 'BASIC', percent: 0, isHigher: false } },
  { kind: 'TICKET_ANSWER', details: { ticketId: '1', name: '<b>' } },
  { kind: 'TICKET_OPENED', details: { ticketId: '1', name: '<b>' } },
  { kind: 'TICKET_CLOSED', details: { ticketId: '1', name: '<b>' } },
];

test.each(notices)('$kind has a text in both languages, with allowed HTML only', (notice) => {
  for (const languageCode of ['en', 'ru'] as const) {
    const { description, content = '' } = renderNotification(languageCode, notice);
    for (const html of [description, content]) expect(sanitizeHtml(html, 'http://x')).toBe(html);
    expect(/[а-я]{3}/.test(description)).toBe(languageCode === 'ru');
  }
});

test.each([
  [25, '$25.00'],
  [0.95, '$0.95'],
  [0.1234, '$0.12'],
  [0.0156, '$0.016'],
  [0.000_001, '$0.000001'],
  [100, '$100.00'],
  [1_234_567.5, '$1,234,567.50'],
])('%d dollars are %s', (amount, text) => {
  expect(renderNotification('en', { kind: 'TOP_UP', details: { amount } }).description).toContain(`<b>${text}</b>`);
});

test('a balance is never said to be more than it is', () => {
  const event = { kind: 'LOW_BALANCE', details: { balance: 4.999 } } as const;
  expect(renderNotification('en', event).description).toContain('<b>$4.99</b>');
  expect(renderNotification('ru', event).description).toContain('<b>$4,99</b>');
});

test.each([
  ['x'.repeat(80), 'x'.repeat(80)],
  ['🦊'.repeat(81), `${'🦊'.repeat(80)}…`],
  [`${'word '.repeat(16)}more`, `${'word '.repeat(16).trimEnd()}…`],
])('the name of a ticket, %s, is shown as %s', (name, shown) => {
  const { description } = renderNotification('en', { kind: 'TICKET_ANSWER', details: { ticketId: '1', name } });
  expect(description).toContain(`<a href="/support/tickets/1">${shown}</a>`);
});

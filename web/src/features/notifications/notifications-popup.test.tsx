import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openApp, refusal } from '../../../test/open-app.tsx';
import { unreadBadge } from './notifications-bell.tsx';

const LIST = 'GET /v1/notifications';
const faqs = { 'GET /v1/faqs': { data: [] } };
const failure = () => refusal(500, 'INTERNAL');

async function openPopup(answer: () => object | Promise<object>) {
  const app = await openApp('/faq', {
    answers: { ...faqs, [LIST]: answer, 'POST /v1/notifications/mark-read': failure },
  });
  const bell = await app.screen.findByRole('button', { name: /^Notifications/ });
  await app.user.click(bell);
  return { ...app, bell, popup: within(await app.screen.findByRole('dialog')) };
}

it('shows placeholders, a failure with a retry button, and an empty list', async () => {
  let respond!: () => void;
  const responded = new Promise<void>((resolve) => (respond = resolve));
  const { api, popup, screen, user } = await openPopup(() => responded.then(failure));
  expect(popup.getAllByRole('listitem')).toHaveLength(3);
  respond();
  expect((await popup.findByRole('alert')).textContent).toContain('Failed loaded notifications');
  api.set({ [LIST]: { data: [], totalPages: 0, unreadCount: 0 } });
  await user.click(popup.getByRole('button', { name: 'Try again' }));
  await popup.findByText(/^Nothing here yet\./);
  await user.keyboard('{Escape}');
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
});

it('sanitises the HTML of notifications, and follows their links inside the app', async () => {
  const description =
    '<b>Bold</b> <img src="/x" onerror="window.hacked = 1"><script>window.hacked = 1</script>' +
    '<a href="javascript:window.hacked=1">trap</a> <a href="https://a.example" onclick="window.hacked=1">out</a> ' +
    '<a href="/account">in</a><svg onload="window.hacked=1"></svg><form action="/x"><button>go</button></form>';
  const createdAt = new Date().toISOString();
  const data = [{ id: '00000000-0000-4000-8000-000000000001', description, content: null, createdAt, isRead: false }];
  const { bell, popup, screen, user, api } = await openPopup(() => ({ data, totalPages: 1, unreadCount: 120 }));
  expect(bell.getAttribute('aria-label')).toBe('Notifications, 99+ unread');
  const item = await popup.findByRole('listitem');
  within(item).getByText('Bold');
  expect(item.querySelectorAll('img, script, svg, form, button, [onclick]')).toHaveLength(0);
  expect(within(item).getAllByRole('link')).toHaveLength(2);
  expect(within(item).getByRole('link', { name: 'out' }).getAttribute('rel')).toBe('noopener noreferrer');
  expect('hacked' in globalThis).toBe(false);
  api.set({
    'GET /v1/referral-system': failure,
    'GET /v1/auth/sessions': { data: [] },
    'GET /v1/auth/second-factor': failure,
    'GET /v1/profile/*': failure,
  });
  await user.click(within(item).getByRole('link', { name: 'in' }));
  await expect.poll(() => location.pathname).toBe('/account');
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
});

it.each([
  [0, undefined],
  [1, '1'],
  [99, '99'],
  [100, '99+'],
  [500, '99+'],
])('%i unread notifications are shown as %s', (count, text) => {
  expect(unreadBadge(count)).toBe(text);
});

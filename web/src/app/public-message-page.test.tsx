import { confirmationTexts } from '@cellhop/contract/confirmation-texts';
import { expect, it } from 'vitest';
import { customer, openApp, refusal } from '../../test/open-app.tsx';
import { issued } from '../../test/tokens.ts';

const SIGN_IN = 'POST /v1/auth/confirm-email/sign-in';
const id = '00000000-0000-4000-8000-00000000d001';
const page = (message: string) => `/public-message?${new URLSearchParams({ message, signIn: id }).toString()}`;
/** Of the screen that follows. */
const catalogue = {
  'GET /v1/proxies': refusal(500, 'INTERNAL'),
  'GET /v1/proxies/filter': refusal(500, 'INTERNAL'),
};
const result = { data: { ...issued('confirmed', 1), deviceToken: 'device', profile: customer } };

it('quotes an unknown message as plain text', async () => {
  const message = '<img src=x onerror="document.title=1"><b>bold</b>';
  const { screen, user } = await openApp(`/public-message?message=${encodeURIComponent(message)}`, {
    isSignedIn: false,
  });
  await screen.findByRole('heading', { level: 1, name: 'Message' });
  screen.getByText(message);
  expect(screen.getByRole('main').querySelectorAll('img, b')).toHaveLength(0);
  await user.click(screen.getByRole('link', { name: 'Back to home' }));
  await expect.poll(() => location.pathname).toBe('/sign-in');
});

it('signs in after the confirmation, and leads to the proxies', async () => {
  const requested: unknown[] = [];
  await openApp(page(confirmationTexts.en.DONE), {
    isSignedIn: false,
    answers: {
      ...catalogue,
      [SIGN_IN]: ({ body }) => {
        requested.push(body);
        return result;
      },
    },
  });
  await expect.poll(() => location.pathname).toBe('/proxies');
  expect(requested).toEqual([{ id }]);
  expect(localStorage.getItem('tokens')).toContain(result.data.refreshToken);
});

it('says where the first money on the balance comes from', async () => {
  const profile = { ...customer, balance: 1 };
  const { screen } = await openApp(page(confirmationTexts.en.DONE), {
    isSignedIn: false,
    answers: { ...catalogue, [SIGN_IN]: { data: { ...result.data, profile } } },
  });
  expect(await screen.findByText('Your email is confirmed. A trial credit of $1.00 is on your balance')).toBeTruthy();
});

it('shows the message and the way to sign-in where the browser is another one', async () => {
  const { screen } = await openApp(page(confirmationTexts.ru.DONE), {
    isSignedIn: false,
    language: 'ru',
    answers: { [SIGN_IN]: refusal(404, 'SESSION_NOT_FOUND') },
  });
  await screen.findByRole('heading', { level: 1, name: confirmationTexts.ru.DONE });
  expect(screen.getByRole('link', { name: 'Войти' }).getAttribute('href')).toBe('/sign-in');
});

it('never replaces the session of somebody who is signed in', async () => {
  await openApp(page(confirmationTexts.en.DONE), { answers: { ...catalogue, [SIGN_IN]: result } });
  const before = localStorage.getItem('tokens');
  await expect.poll(() => location.pathname).toBe('/proxies');
  expect(localStorage.getItem('tokens')).toBe(before);
});

it('does not sign in with a message that is not of a confirmation', async () => {
  const { screen } = await openApp(page('Hello'), { isSignedIn: false, answers: { [SIGN_IN]: result } });
  await screen.findByRole('heading', { level: 1, name: 'Message' });
  expect(localStorage.getItem('tokens')).toBeNull();
});

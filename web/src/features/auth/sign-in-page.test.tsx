import type { SignInBody } from '@cellhop/contract/auth';
import { act } from '@testing-library/react';
import { expect, it, onTestFinished, vi } from 'vitest';
import { issued } from '../../../test/tokens.ts';
import { type Answers, customer, isDisabled, openApp, refusal } from '../../../test/open-app.tsx';

const EMAIL = 'customer@example.com';
const PASSWORD = 'a long enough password';
const SIGN_IN = 'POST /v1/auth/sign-in';
const catalogue: Answers = {
  'GET /v1/proxies': { data: [], totalPages: 1 },
  'GET /v1/proxies/filter': refusal(500, 'INTERNAL'),
};
const signedIn = () => ({ data: { ...issued('session', 1), deviceToken: 'device', profile: customer } });

async function openForm(path = '/sign-in', answers: Answers = {}) {
  const app = await openApp(path, { isSignedIn: false, answers: { ...catalogue, ...answers } });
  const { fill, screen, user } = app;
  await screen.findByRole('button', { name: 'Sign in' });
  const email = () => screen.getByLabelText<HTMLInputElement>('Email');
  const password = () => screen.getByLabelText<HTMLInputElement>('Password');
  const submit = () => user.click(screen.getByRole('button', { name: 'Sign in' }));
  const signIn = async () => {
    await fill(email(), EMAIL);
    await fill(password(), PASSWORD);
    await submit();
  };
  return { ...app, email, password, submit, signIn };
}

it('asks for the second factor, a code of the app or a recovery code', async () => {
  const { api, email, fill, screen, signIn, submit, user } = await openForm('/sign-in', {
    [SIGN_IN]: refusal(403, 'SECOND_FACTOR_REQUIRED'),
  });
  await signIn();
  await screen.findByRole('heading', { name: 'Two-factor sign-in' });
  await user.click(screen.getByRole('button', { name: 'Back to email and password' }));
  await expect.poll(() => email().value).toBe(EMAIL);
  await signIn();
  const code = await screen.findByLabelText('Code from the app');
  api.set({ [SIGN_IN]: refusal(400, 'SECOND_FACTOR_INVALID') });
  await fill(code, '000000');
  await submit();
  expect((await screen.findByRole('alert')).textContent).toContain('The code is wrong or has already been used');

  const sent: SignInBody[] = [];
  const answer: Answers = {
    [SIGN_IN]: ({ body }) => {
      sent.push(body as SignInBody);
      return sent.length === 1 ? refusal(400, 'SECOND_FACTOR_INVALID') : signedIn();
    },
  };
  api.set(answer);
  await fill(code, '123 456');
  await submit();
  await expect.poll(() => sent.length).toBe(1);
  await user.click(screen.getByRole('button', { name: 'Use a recovery code' }));
  await fill(await screen.findByLabelText('Recovery code'), 'k3vz-9pqt-7mxd-2hf0');
  await submit();
  await expect.poll(() => location.pathname).toBe('/proxies');
  expect(sent.map(({ secondFactorCode }) => secondFactorCode)).toEqual(['123456', 'k3vz9pqt7mxd2hf0']);
});

it('keeps the language of the account after a reload, not that of the browser', { tags: ['thorough'] }, async () => {
  const profile = { ...customer, languageCode: 'ru' };
  const { screen, signIn } = await openForm('/sign-in', {
    [SIGN_IN]: { data: { ...issued('session', 1), deviceToken: 'device', profile } },
    'GET /v1/profile': { data: profile },
  });
  await signIn();
  await screen.findByRole('heading', { level: 1, name: 'Прокси' });
  // What the next load of the app, and each other tab, reads.
  expect(localStorage.getItem('language')).toBe('"ru"');
});

it.each(['with events', 'in silence'])('signs in with what a password manager has set %s', async (way) => {
  const sent: unknown[] = [];
  const { email, password, submit } = await openForm('/sign-in', {
    [SIGN_IN]: ({ body }) => {
      sent.push(body);
      return signedIn();
    },
  });
  act(() => email().focus());
  for (const [element, value] of [
    [email(), EMAIL],
    [password(), PASSWORD],
  ] as const) {
    // Through the property of the element, as a script of another program does: React believes that it knows the value already.
    element.value = value;
    if (way === 'with events')
      for (const name of ['input', 'change'])
        act(() => {
          element.dispatchEvent(new Event(name, { bubbles: true }));
        });
  }
  await submit();
  await expect.poll(() => sent).toMatchObject([{ email: EMAIL, password: PASSWORD }]);
});

it('names the account for password managers', async () => {
  const { email } = await openForm();
  expect(email().autocomplete).toBe('username');
});

it('returns only to pages of the app, and after sign-out to none', { tags: ['thorough'] }, async () => {
  const { screen, signIn, user } = await openForm('/sign-in?next=//evil.example/', {
    [SIGN_IN]: signedIn,
    'POST /v1/auth/logout': { data: { endedAt: '2026-11-21T12:00:00.000Z' } },
  });
  await signIn();
  await expect.poll(() => location.pathname).toBe('/proxies');
  await user.click(await screen.findByRole('link', { name: 'Connections' }));
  await user.click(screen.getByRole('button', { name: 'Account menu' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Log Out' }));
  await screen.findByRole('button', { name: 'Sign in' });
  expect(location.pathname + location.search).toBe('/sign-in');
});

/** The clock of the page, which moves on by itself as well. */
function startClock() {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  return { pass: (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds)) };
}

it(
  'sends another confirmation email after a countdown, however far the clock is ahead',
  { tags: ['thorough'] },
  async () => {
    const clock = startClock();
    const { api, email, password, screen, signIn, user } = await openForm('/sign-in', {
      [SIGN_IN]: refusal(403, 'EMAIL_NOT_CONFIRMED', 'Email is not confirmed - 45'),
    });
    await signIn();
    await screen.findByRole('heading', { name: 'Email is not confirmed' });
    await screen.findByText(/Resend is available in 0 minutes \d+ seconds?/);
    // The visible text says the same.
    expect(screen.getByText(/^Available in 0:[0-4]\d$/).getAttribute('aria-hidden')).toBe('true');
    const resend = screen.getByRole('button', { name: 'Send again' });
    expect(isDisabled(resend)).toBe(true);

    const RESEND = 'POST /v1/auth/confirm-email/resend';
    api.set({ [RESEND]: refusal(429, 'RESEND_INTERVAL', 'Small interval resend code - 15') });
    await clock.pass(60_000);
    await user.click(resend);
    await screen.findByText(/Too short interval for resending\. Wait 0 minutes \d+ seconds?/);
    await expect.poll(() => isDisabled(resend)).toBe(true);

    api.set({ [RESEND]: () => ({ data: { nextSendingAllowedIn: Date.now() + 120_000 } }) });
    await clock.pass(60_000);
    await user.click(resend);
    await screen.findByText('A new email has been successfully sent');
    await screen.findByText(/Resend is available in (?:1 minute \d+|2 minutes 0) seconds?/);
    await clock.pass(5500);
    await expect.poll(() => screen.queryByText('A new email has been successfully sent')).toBeNull();

    // The account was confirmed meanwhile.
    api.set({ [RESEND]: refusal(404, 'SESSION_NOT_FOUND') });
    await clock.pass(120_000);
    await user.click(resend);
    await screen.findByText('Email has already been confirmed');
    await expect.poll(() => email().value).toBe(EMAIL);
    expect(password().value).toBe('');
  },
);

const recovery = (waitMs: number) => ({
  data: { sessionId: '00000000-0000-4000-8000-000000000001', nextSendingAllowedIn: Date.now() + waitMs },
});

it(
  'sends another recovery email after a countdown, and leads the unconfirmed to confirmation',
  { tags: ['thorough'] },
  async () => {
    const clock = startClock();
    const { api, email, fill, screen, user } = await openForm('/sign-in', {
      'POST /v1/auth/recovery-password': () => recovery(60_000),
      'POST /v1/auth/recovery-password/*/resend': () => recovery(120_000),
    });
    const open = async () => {
      await user.click(screen.getByRole('link', { name: 'Restore access' }));
      // The field of the sign-in page has the same name.
      await screen.findByRole('heading', { level: 1, name: 'Restore access' });
    };
    const send = async () => {
      await fill(email(), EMAIL);
      await user.click(screen.getByRole('button', { name: 'Send the link' }));
    };
    await open();
    await send();
    await screen.findByText(/Resend is available in (?:0 minutes \d+|1 minute 0) seconds?/);
    await clock.pass(60_000);
    await user.click(screen.getByRole('button', { name: 'Send again' }));
    await screen.findByText('A new email has been successfully sent');

    await user.click(screen.getByRole('link', { name: 'Sign in' }));
    await screen.findByRole('button', { name: 'Sign in' });
    await open();
    expect(email().value).toBe('');
    api.set({
      'POST /v1/auth/recovery-password': refusal(403, 'EMAIL_NOT_CONFIRMED', 'Email is not confirmed - 45'),
    });
    await send();
    await screen.findByRole('heading', { name: 'Email is not confirmed' });
  },
);

it('explains used and expired recovery links, and links to a new one', async () => {
  const SET_PASSWORD = 'POST /v1/auth/recovery-password/set-password';
  const { api, fill, screen, user } = await openApp('/restore-access/set-password?code=x#email=a%2Bb%40example.com', {
    isSignedIn: false,
    answers: { [SET_PASSWORD]: refusal(410, 'SESSION_EXPIRED') },
  });
  const password = await screen.findByLabelText('New password');
  const confirmation = screen.getByLabelText('Confirm password');
  const username = document.querySelector<HTMLInputElement>('input[autocomplete="username"]');
  expect([username?.value, username?.hidden]).toEqual(['a+b@example.com', true]);
  await fill(password, 'another long password');
  await fill(confirmation, 'another long passwors');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Passwords do not match');
  // A change of one field validates both.
  await fill(password, 'another long passwors');
  await expect.poll(() => screen.queryByText('Passwords do not match')).toBeNull();
  await fill(password, 'another long password');
  await screen.findByText('Passwords do not match');
  await fill(confirmation, 'another long password');
  await expect.poll(() => screen.queryByText('Passwords do not match')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect((await screen.findByRole('alert')).textContent).toContain('Link has expired');
  api.set({ [SET_PASSWORD]: refusal(404, 'SESSION_NOT_FOUND') });
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await expect.poll(() => screen.getByRole('alert').textContent).toContain('No recovery session found');
  await user.click(screen.getByRole('link', { name: 'Restore access' }));
  await expect.poll(() => location.pathname).toBe('/restore-access');
});

it('names no account if the link has lost its fragment, as in some mail programs', async () => {
  const { screen } = await openApp('/restore-access/set-password?code=x', { isSignedIn: false });
  await screen.findByLabelText('Confirm password');
  expect(document.querySelector('input[autocomplete="username"]')).toBeNull();
});

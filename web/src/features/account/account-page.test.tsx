import type { AlertSettings } from '@cellhop/contract/alerts';
import type { SecondFactor, Session } from '@cellhop/contract/auth';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { catchDownloads } from '../../../test/downloads.ts';
import { type Answers, clickTwice, customer, isDisabled, openApp, refusal } from '../../../test/open-app.tsx';

const alerts: AlertSettings = {
  lowBalance: null,
  isMailed: true,
  endMails: { noMoney: true, idle: true, exitLost: true },
  isNewsMailed: true,
  isTicketMailed: true,
  isTopUpMailed: true,
};
const off: SecondFactor = { isOn: false, isRequired: false, onSince: null, recoveryCodesLeft: 0 };
const on: SecondFactor = { ...off, isOn: true, onSince: '2026-11-21T12:00:00.000Z', recoveryCodesLeft: 10 };
const codes = Array.from({ length: 10 }, (_, index) => `k3vz-9pqt-7mxd-2hf${index}`);

function session(number: number, changes: Partial<Session> = {}): Session {
  const createdAt = '2026-11-21T12:00:00.000Z';
  const id = `00000000-0000-4000-8000-00000000000${number}`;
  return {
    id,
    device: 'Firefox on Windows',
    ip: '127.0.0.1',
    createdAt,
    usedAt: createdAt,
    isCurrent: false,
    ...changes,
  };
}

const section = (id: string) => within(document.getElementById(id)!);

async function openAccount(answers: Answers = {}, tab = 'security') {
  const app = await openApp(`/account#${tab}`, {
    answers: {
      'GET /v1/profile/alerts': { data: alerts },
      'GET /v1/profile/company': { data: { name: '', address: '', taxId: '' } },
      'GET /v1/auth/second-factor': { data: off },
      'GET /v1/auth/sessions': { data: [session(1, { isCurrent: true })] },
      ...answers,
    },
  });
  await app.screen.findByRole('navigation', { name: 'Parts of the account' });
  return app;
}

it('sets two-factor sign-in up: password, first code, recovery codes', async () => {
  const downloads = catchDownloads();
  const { api, fill, screen, user } = await openAccount();
  await user.click(await section('second-factor').findByRole('button', { name: 'Set up' }));
  const dialog = within(await screen.findByRole('dialog'));
  // The code of the form loads after the dialog.
  const password = await dialog.findByLabelText('Current password');
  await expect.poll(() => document.activeElement).toBe(password);
  api.set({ 'POST /v1/auth/second-factor/set-up': refusal(400, 'WRONG_PASSWORD') });
  await fill(password, 'not my password');
  await user.click(dialog.getByRole('button', { name: 'Continue' }));
  expect((await dialog.findByRole('alert')).textContent).toContain('The password is wrong');
  const secret = 'JBSWY3DPEHPK3PXP';
  api.set({ 'POST /v1/auth/second-factor/set-up': { data: { secret, uri: `otpauth://totp/x?secret=${secret}` } } });
  await user.click(dialog.getByRole('button', { name: 'Continue' }));
  await dialog.findByRole('img', { name: 'QR code for the authenticator app' });
  // The focused button was removed with its step.
  expect(document.activeElement?.textContent).toContain('Scan this code');
  dialog.getByText(secret);

  const code = dialog.getByLabelText('Code from the app');
  await fill(code, '12345');
  await user.click(dialog.getByRole('button', { name: 'Turn on' }));
  await dialog.findByText('The code has 6 digits');
  const sent: unknown[] = [];
  api.set({
    'POST /v1/auth/second-factor/enable': ({ body }) => {
      sent.push(body);
      return { data: { recoveryCodes: codes } };
    },
    'GET /v1/auth/second-factor': { data: on },
  });
  await fill(code, '123 456');
  // A code works once: a second request would fail and hide the recovery codes.
  clickTwice(dialog.getByRole('button', { name: 'Turn on' }));
  const list = await dialog.findAllByRole('listitem');
  expect(list.map(({ textContent }) => textContent)).toEqual(codes);
  expect(sent).toEqual([{ code: '123456' }]);
  expect(document.activeElement?.textContent).toContain('Keep these codes in a safe place');
  await user.keyboard('{Escape}');
  screen.getByRole('dialog');
  await user.click(dialog.getByRole('button', { name: 'Download' }));
  expect(downloads.map(({ name }) => name)).toEqual(['cellhop-recovery-codes.txt']);
  await user.click(dialog.getByRole('button', { name: 'I have saved them' }));
  await section('second-factor').findByText('10 unused codes left');
});

it('replaces the recovery codes, and switches two-factor sign-in off', { tags: ['thorough'] }, async () => {
  const { api, fill, screen, user } = await openAccount({ 'GET /v1/auth/second-factor': { data: on } });
  await user.click(await section('second-factor').findByRole('button', { name: 'New codes' }));
  const renewal = within(await screen.findByRole('dialog'));
  const proof = 'Code from the app, or a recovery code';
  await fill(renewal.getByLabelText('Current password'), 'a long enough password');
  await fill(renewal.getByLabelText(proof), codes[0]!);
  api.set({ 'POST /v1/auth/second-factor/recovery-codes': refusal(400, 'SECOND_FACTOR_INVALID') });
  await user.click(renewal.getByRole('button', { name: 'Show new codes' }));
  expect((await renewal.findByRole('alert')).textContent).toContain('The code is wrong or has already been used');
  let requests = 0;
  api.set({
    'POST /v1/auth/second-factor/recovery-codes': () => {
      requests++;
      return { data: { recoveryCodes: codes } };
    },
  });
  clickTwice(renewal.getByRole('button', { name: 'Show new codes' }));
  expect(await renewal.findAllByRole('listitem')).toHaveLength(10);
  expect(requests).toBe(1);
  await user.click(renewal.getByRole('button', { name: 'I have saved them' }));
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();

  await user.click(section('second-factor').getByRole('button', { name: 'Turn off' }));
  const question = within(await screen.findByRole('dialog'));
  await fill(question.getByLabelText('Current password'), 'a long enough password');
  await fill(question.getByLabelText(proof), codes[1]!);
  api.set({ 'POST /v1/auth/second-factor/disable': { data: off }, 'GET /v1/auth/second-factor': { data: off } });
  await user.click(question.getByRole('button', { name: 'Turn off' }));
  await section('second-factor').findByRole('button', { name: 'Set up' });
});

it('lists the sessions, ends one of them, and then all others', { tags: ['thorough'] }, async () => {
  let sessions = [session(1, { isCurrent: true, device: 'Chrome on Linux' }), session(2), session(3)];
  const { api, screen, user } = await openAccount({
    'GET /v1/auth/sessions': () => ({ data: sessions }),
    'DELETE /v1/auth/sessions/*': ({ url }) => {
      sessions = sessions.filter(({ id }) => !url.pathname.endsWith(id));
      return { data: { id: session(2).id } };
    },
    'POST /v1/auth/sessions/revoke-others': () => {
      sessions = sessions.slice(0, 1);
      return { data: { revokedCount: 1 } };
    },
  });
  const lines = () => section('sessions').getAllByRole('listitem');
  await expect.poll(() => section('sessions').queryAllByRole('listitem')).toHaveLength(3);
  expect(lines()[0]?.textContent).toMatch(/Chrome on Linux.*This device.*127\.0\.0\.1/);
  await user.click(section('sessions').getAllByRole('button', { name: 'Sign out Firefox on Windows, 127.0.0.1' })[0]!);
  await screen.findByText('The session has ended');
  expect(api.requests).toContain(`DELETE /v1/auth/sessions/${session(2).id}`);
  await expect.poll(lines).toHaveLength(2);
  // The focused button was removed.
  expect(document.activeElement).toBe(section('sessions').getByRole('heading', { name: 'Sessions' }));

  await user.click(section('sessions').getByRole('button', { name: 'Sign out all others' }));
  const question = within(await screen.findByRole('dialog'));
  await user.click(question.getByRole('button', { name: 'Sign out all others' }));
  await screen.findByText('1 device is signed out');
  await expect.poll(lines).toHaveLength(1);
});

it('changes the password, with errors under the fields and above them', async () => {
  const { api, fill, screen, user } = await openAccount();
  const form = section('password');
  const username = document.querySelector<HTMLInputElement>('#password input[autocomplete="username"]');
  // For password managers, which store the new password under this name.
  expect([username?.value, username?.hidden]).toEqual([customer.email, true]);
  const submit = form.getByRole('button', { name: 'Change password' });
  await user.click(submit);
  expect(await form.findAllByText('Required field')).toHaveLength(3);
  const current = form.getByLabelText<HTMLInputElement>('Current password');
  const next = form.getByLabelText<HTMLInputElement>('New password');
  await fill(current, 'not my password');
  await fill(next, 'password123');
  await fill(form.getByLabelText('Confirm password'), 'password123');
  const tooEasy = { statusCode: 400, error: 'Bad Request', code: 'VALIDATION', message: 'Request is not valid' };
  const details = [{ path: 'body.password', message: 'too easy to guess' }];
  api.set({ 'POST /v1/auth/password': Response.json({ ...tooEasy, details }, { status: 400 }) });
  await user.click(submit);
  await form.findByText(/^This password is too easy to guess/);
  next.focus();
  await user.tab();
  await user.keyboard('{Enter}');
  expect(next.type).toBe('text');

  api.set({ 'POST /v1/auth/password': refusal(400, 'WRONG_PASSWORD') });
  await fill(next, 'another long password');
  await fill(form.getByLabelText('Confirm password'), 'another long password');
  await user.click(submit);
  expect((await form.findByRole('alert')).textContent).toContain('The password is wrong');
  let changes = 0;
  api.set({
    'POST /v1/auth/password': () => {
      changes++;
      return { data: { changedAt: '2026-11-21T12:00:00.000Z' } };
    },
  });
  await fill(current, 'a long enough password');
  clickTwice(submit);
  await screen.findByText(/^Your password was changed/);
  expect(changes).toBe(1);
  expect(next.value).toBe('');
  expect(form.queryByRole('alert')).toBeNull();
});

it('saves when to be alerted, and about which ends of connections', { tags: ['thorough'] }, async () => {
  let saved = alerts;
  const { api, fill, screen, user } = await openAccount(
    {
      'GET /v1/profile/alerts': () => ({ data: saved }),
      'PUT /v1/profile/alerts': ({ body }) => {
        saved = body as AlertSettings;
        return { data: saved };
      },
    },
    'alerts',
  );
  const amount = await section('alerts').findByLabelText('Alert me when the balance falls below, $');
  const save = section('alerts').getByRole('button', { name: 'Save alerts' });
  await fill(amount, 'a lot');
  await screen.findByText('Enter an amount like 1,234.56');
  expect(isDisabled(save)).toBe(true);
  await fill(amount, '0.95');
  await user.click(section('alerts').getByRole('checkbox', { name: 'there was no traffic' }));
  for (const name of ['Also send news by email', 'Email me when support replies'])
    await user.click(section('alerts').getByRole('checkbox', { name }));
  await user.click(save);
  await screen.findByText('Alerts saved');
  expect(saved).toEqual({
    lowBalance: 0.95,
    isMailed: true,
    endMails: { noMoney: true, idle: false, exitLost: true },
    isNewsMailed: false,
    isTicketMailed: false,
  });
  expect(api.requests.filter((request) => request.startsWith('PUT'))).toHaveLength(1);
});

it('saves alerts without the choices that were not changed', async () => {
  const sent: unknown[] = [];
  const { screen, user } = await openAccount(
    {
      'GET /v1/profile/alerts': { data: alerts },
      'PUT /v1/profile/alerts': ({ body }) => {
        sent.push(body);
        return { data: alerts };
      },
    },
    'alerts',
  );
  await user.click(await section('alerts').findByRole('checkbox', { name: 'there was no traffic' }));
  await user.click(section('alerts').getByRole('button', { name: 'Save alerts' }));
  await screen.findByText('Alerts saved');
  expect(sent).toEqual([
    { lowBalance: null, isMailed: true, endMails: { noMoney: true, idle: false, exitLost: true } },
  ]);
});

it('shows the saved alerts', async () => {
  const saved = { ...alerts, lowBalance: 0.95, endMails: { noMoney: true, idle: false, exitLost: true } };
  await openAccount({ 'GET /v1/profile/alerts': { data: saved } }, 'alerts');
  const box = (name: string) => section('alerts').getByRole<HTMLInputElement>('checkbox', { name }).checked;
  const amount = await section('alerts').findByLabelText<HTMLInputElement>(/^Alert me when/);
  expect(amount.value).toBe('$0.95');
  expect(box('there was no traffic')).toBe(false);
  for (const name of ['the balance has run out', 'the proxy went offline', 'Also send alerts by email'])
    expect(box(name)).toBe(true);
});

it('deletes the account after the password, and only with the balance given up that is shown', async () => {
  const sent: unknown[] = [];
  const { screen, user } = await openAccount(
    {
      'GET /v1/profile': { data: { ...customer, balance: 2.5 } },
      'POST /v1/profile/delete': ({ body }) => {
        sent.push(body);
        return sent.length === 1 ? refusal(400, 'WRONG_PASSWORD') : { data: { isDeleted: true } };
      },
    },
    'data',
  );
  await user.click(await screen.findByRole('button', { name: 'Delete account' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.type(dialog.getByLabelText(/^Current password/), 'a long password');
  const submit = dialog.getByRole('button', { name: 'Delete for good' });
  expect(isDisabled(submit)).toBe(true);
  await user.click(dialog.getByRole('checkbox', { name: 'I give up my balance of $2.50' }));
  await user.click(submit);
  expect(await dialog.findByRole('alert')).toBeTruthy();
  await user.click(submit);
  await screen.findByRole('heading', { name: /Sign in/ });
  const body = { password: 'a long password', waivedBalance: 2.5 };
  expect(sent).toEqual([body, body]);
});

it('downloads what is stored about the user', async () => {
  const downloads = catchDownloads();
  const { screen, user } = await openAccount(
    { 'GET /v1/profile/export': () => new Response('{"profile":{}}') },
    'data',
  );
  await user.click(await screen.findByRole('button', { name: 'Download' }));
  await expect.poll(() => downloads.length).toBe(1);
});

it('has its sections in tabs, which the address names, as it does a section of one', async () => {
  const { screen, user } = await openAccount({}, 'company');
  const headings = () => screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
  const tabs = within(screen.getByRole('navigation', { name: 'Parts of the account' }));
  expect(tabs.getAllByRole('link', { current: 'page' }).map(({ textContent }) => textContent)).toEqual(['Profile']);
  expect(headings()).toEqual(['Profile', 'Company']);
  await user.click(tabs.getByRole('link', { name: 'Security' }));
  await expect.poll(headings).toEqual(['Password', 'Two-factor sign-in', 'Sessions']);
  expect(location.hash).toBe('#security');
  history.back();
  await expect.poll(headings).toEqual(['Profile', 'Company']);
});

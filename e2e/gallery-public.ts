/** Screenshots of the public pages, and of the states of the account, FAQ and referral screens. */
import type { Page } from '@playwright/test';
import { ok, refusal, type Screen } from './gallery-screen.ts';

const submit = (page: Page) => page.locator('button[type=submit]').first().click();
const fillPasswords = async (page: Page, password: string) => {
  for (const field of await page.locator('input[type=password]').all()) await field.fill(password);
};
const fillEmail = (page: Page) => page.getByLabel('Email').fill('a.rather.long.address@department.example.com');
const alertIsShown = (page: Page) => page.getByRole('alert').waitFor();
/** A notice has replaced the form. */
const formIsGone = (page: Page) => page.locator('form').waitFor({ state: 'detached' });

async function signIn(page: Page): Promise<void> {
  await fillEmail(page);
  await fillPasswords(page, 'demo-password');
  await submit(page);
}

async function savePassword(page: Page): Promise<void> {
  await fillPasswords(page, 'a long enough password');
  await submit(page);
}

const waitBeforeResending = () => ({ data: { nextSendingAllowedIn: Date.now() + 90_000 } });
const setPassword = '/restore-access/set-password?code=x';

export const publicScreens: Screen[] = [
  { name: 'landing', path: '/' },
  { name: 'pricing', path: '/pricing' },
  { name: 'pricing-in-russian', path: '/ru/pricing' },
  { name: 'locations', path: '/locations' },
  { name: 'locations-in-russian', path: '/ru/locations' },
  { name: 'location', path: '/locations/de' },
  { name: 'sign-in', path: '/sign-in' },
  {
    name: 'sign-in-refused',
    path: '/sign-in',
    responses: { '/v1/auth/sign-in': refusal(400, 'INVALID_CREDENTIALS') },
    act: async (page) => {
      await signIn(page);
      await alertIsShown(page);
    },
  },
  {
    name: 'sign-in-second-factor',
    path: '/sign-in',
    responses: { '/v1/auth/sign-in': refusal(403, 'SECOND_FACTOR_REQUIRED') },
    act: async (page) => {
      await signIn(page);
      await page.locator('input[autocomplete=one-time-code]').waitFor();
    },
  },
  {
    name: 'sign-in-recovery-code',
    path: '/sign-in',
    responses: { '/v1/auth/sign-in': refusal(403, 'SECOND_FACTOR_REQUIRED') },
    act: async (page) => {
      await signIn(page);
      await page.locator('button[class*=link]').first().click();
    },
  },
  {
    name: 'sign-in-unconfirmed',
    path: '/sign-in',
    responses: { '/v1/auth/sign-in': refusal(403, 'EMAIL_NOT_CONFIRMED', 'Email is not confirmed - 0') },
    act: async (page) => {
      await signIn(page);
      await formIsGone(page);
    },
  },
  { name: 'sign-up', path: '/sign-up?rc=WELCOME' },
  {
    name: 'sign-up-mistakes',
    path: '/sign-up',
    act: async (page) => {
      await submit(page);
      await page.locator('input[type=password]').first().fill('short');
      await page.locator('input[type=password]').last().fill('shorter');
    },
  },
  {
    name: 'sign-up-notice',
    path: '/sign-up?rc=WELCOME',
    responses: { '/v1/auth/sign-up': { status: 201, json: waitBeforeResending } },
    act: async (page) => {
      await fillEmail(page);
      await savePassword(page);
      await formIsGone(page);
    },
  },
  { name: 'restore-access', path: '/restore-access' },
  {
    name: 'restore-access-notice',
    path: '/restore-access',
    responses: {
      '/v1/auth/recovery-password': {
        status: 200,
        json: { data: { sessionId: '00000000-0000-4000-8000-000000000000', nextSendingAllowedIn: Date.now() } },
      },
    },
    act: async (page) => {
      await fillEmail(page);
      await submit(page);
      await formIsGone(page);
    },
  },
  { name: 'set-password', path: setPassword },
  {
    name: 'set-password-refused',
    path: setPassword,
    responses: { '/v1/auth/recovery-password/set-password': refusal(410, 'SESSION_EXPIRED') },
    act: async (page) => {
      await savePassword(page);
      await alertIsShown(page);
    },
  },
  {
    name: 'set-password-done',
    path: setPassword,
    responses: {
      '/v1/auth/recovery-password/set-password': {
        status: 200,
        json: { data: { changedAt: new Date(0).toISOString() } },
      },
    },
    act: async (page) => {
      await savePassword(page);
      await formIsGone(page);
    },
  },
  {
    name: 'public-message',
    path: '/public-message?message=Your%20email%20is%20confirmed.%20You%20can%20sign%20in%20now.',
  },
  { name: 'public-message-foreign', path: `/public-message?message=${'Your%20account%20is%20locked.%20'.repeat(20)}` },
  { name: 'not-found', path: '/no-such-page' },
  { name: 'failure', path: '/sign-up', responses: { '/assets/sign-up-page-*.js': 'OFFLINE' } },
];

const summary = {
  level: 'GOLD',
  bonusPercent: 15,
  code: '44X9PDP56R',
  link: 'https://proxies.example.com/sign-up?rc=44X9PDP56R',
  paymentsThisMonth: 12,
  nextLevel: 'PLATINUM',
  monthEndsAt: '2026-12-01T00:00:00.000Z',
  registeredUsersCount: 1284,
  earned: 12_345.678901,
};
const promoCodes = (['ACTIVE', 'DISABLED', 'EXPIRED'] as const).map((status, index) => ({
  id: `00000000-0000-4000-8000-00000000000${index}`,
  code: `SPRING-SALE-FOR-FRIENDS-${index}`,
  status,
  registeredUsersCount: 17 * index,
  createdAt: '2026-11-01T00:00:00.000Z',
  expiredAt: status === 'ACTIVE' ? null : '2026-11-20T00:00:00.000Z',
}));
const recoveryCodes = Array.from({ length: 10 }, (_, index) => `k3vz-9pqt-7mxd-2hf${index}`);

const devices = ['Chrome on Linux', 'Firefox on Windows', 'Safari on iPhone', 'Unknown device'];
const sessionsResponse = {
  '/v1/auth/sessions': ok({
    data: devices.map((device, index) => ({
      id: `00000000-0000-4000-8000-00000000000${index}`,
      device,
      ip: index === 2 ? '2001:db8:85a3:1319:8a2e:370:7344:1234' : '203.0.113.24',
      createdAt: '2026-11-01T00:00:00.000Z',
      usedAt: '2026-11-21T09:41:00.000Z',
      isCurrent: index === 0,
    })),
  }),
};

async function beginSetUp(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  await page.locator('#second-factor button').click();
  await dialog.locator('input').fill('demo-password');
  await dialog.locator('button[type=submit]').click();
  await dialog.locator('svg[role=img]').waitFor();
}

export const accountScreens: Screen[] = [
  { name: 'faq-empty', path: '/faq', responses: { '/v1/faqs?*': { status: 200, json: { data: [] } } } },
  { name: 'faq-failed', path: '/faq', responses: { '/v1/faqs?*': refusal(500, 'INTERNAL') } },
  { name: 'faq-loading', path: '/faq', responses: { '/v1/faqs?*': 'PENDING' } },
  { name: 'referral-loading', path: '/referral-system', responses: { '/v1/referral-system': 'PENDING' } },
  { name: 'referral-failed', path: '/referral-system', responses: { '/v1/referral-system': refusal(500, 'INTERNAL') } },
  {
    name: 'referral-partner',
    path: '/referral-system',
    responses: {
      '/v1/referral-system': { status: 200, json: { data: summary } },
      '/v1/referral-system/promo-codes*': { status: 200, json: { data: promoCodes, totalPages: 3 } },
    },
  },
  { name: 'account', path: '/account' },
  { name: 'account-security', path: '/account#security' },
  { name: 'account-alerts', path: '/account#alerts' },
  { name: 'account-data', path: '/account#data' },
  { name: 'account-sessions', path: '/account#security', responses: sessionsResponse },
  {
    name: 'account-end-others',
    path: '/account#security',
    responses: sessionsResponse,
    act: (page) => page.locator('#sessions button').last().click(),
  },
  {
    name: 'account-loading',
    path: '/account#security',
    responses: { '/v1/auth/sessions': 'PENDING', '/v1/auth/second-factor': 'PENDING' },
  },
  {
    name: 'account-failed',
    path: '/account#security',
    responses: { '/v1/auth/sessions': refusal(500, 'INTERNAL'), '/v1/auth/second-factor': 'OFFLINE' },
    // Requests without a response are retried first.
    act: (page) => page.locator('#second-factor').getByRole('button').waitFor(),
  },
  {
    name: 'account-mistakes',
    path: '/account#security',
    act: (page) => page.locator('#password button[type=submit]').click(),
  },
  { name: 'account-second-factor', path: '/account#security', act: beginSetUp },
  {
    name: 'account-recovery-codes',
    path: '/account#security',
    responses: { '/v1/auth/second-factor/enable': { status: 200, json: { data: { recoveryCodes } } } },
    act: async (page) => {
      const dialog = page.getByRole('dialog');
      await beginSetUp(page);
      await dialog.locator('input').fill('123456');
      await dialog.locator('button[type=submit]').click();
      await dialog.getByRole('listitem').first().waitFor();
    },
  },
  {
    name: 'account-second-factor-on',
    path: '/account#security',
    responses: {
      '/v1/auth/second-factor': {
        status: 200,
        json: { data: { isOn: true, isRequired: false, onSince: '2026-11-21T12:00:00.000Z', recoveryCodesLeft: 2 } },
      },
    },
  },
];

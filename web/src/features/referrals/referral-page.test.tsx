import type { ReferralSummary } from '@cellhop/contract/referrals';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openApp, refusal } from '../../../test/open-app.tsx';

const summary: ReferralSummary = {
  level: 'BASIC',
  bonusPercent: 0,
  code: 'CUSTOMER12',
  link: 'https://cellhop.example/sign-up?rc=CUSTOMER12',
  paymentsThisMonth: 0,
  nextLevel: 'BASIC',
  monthEndsAt: '2026-12-01T00:00:00.000Z',
  registeredUsersCount: 3,
  earned: 1.75,
};

it('shows the level, what is needed for the next one, the sign-ups and the earnings, after a failure', async () => {
  const { api, screen, user } = await openApp('/referral-system', {
    answers: {
      'GET /v1/referral-system': refusal(500, 'INTERNAL'),
      'GET /v1/referral-system/promo-codes': { data: [], totalPages: 0 },
    },
  });
  expect((await screen.findByRole('alert')).textContent).toContain('The referral programme could not be loaded');
  api.set({ 'GET /v1/referral-system': { data: summary } });
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  const level = await screen.findByRole('region', { name: 'Your level this month' });
  expect(level.textContent).toMatch(/Basic.*0%/);
  const card = (name: string) => screen.getByText(name).parentElement!.textContent;
  expect(card('Needed for Silver next month')).toContain('1 top-up');
  expect(card('Registered users')).toContain('3');
  expect(card('Earned in total')).toBe('Earned in total$1.75');
  screen.getByText(/If the network drops the payment, the bonus is reversed\./);
  expect(screen.getAllByRole('row').map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/Level.*Top-ups, from.*Top-ups, to.*Bonus/),
    expect.stringMatching(/Basic.*Yours.*0.*0.*0%/),
    expect.stringMatching(/Silver.*1.*5.*10%/),
    expect.stringMatching(/Gold.*6.*10.*15%/),
    expect.stringMatching(/Platinum.*10.*21.*20%/),
    expect.stringMatching(/Partner.*22.*∞.*25%/),
  ]);
  screen.getByText(/10 top-ups give you Gold with a 15% bonus/);
});

it('copies the link, and says so', async () => {
  const { screen, user } = await openApp('/referral-system', {
    answers: {
      'GET /v1/referral-system': { data: summary },
      'GET /v1/referral-system/promo-codes': { data: [], totalPages: 0 },
    },
  });
  const copy = await screen.findByRole('button', { name: /^Copy Referral link: / });
  await user.click(copy);
  expect(await navigator.clipboard.readText()).toBe(summary.link);
  const copied = () =>
    screen.queryAllByRole('status').filter((status) => within(status).queryByText('Copied') !== null);
  expect(copied()).toHaveLength(1);
  await expect.poll(copied).toHaveLength(0);
});

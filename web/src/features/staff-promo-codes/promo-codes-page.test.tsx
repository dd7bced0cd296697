import type { PromoCode } from '@cellhop/contract/staff/promo-codes';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openAsStaff } from '../../../test/open-staff.ts';

const owner = { id: '00000000-0000-4000-8000-00000000c001', email: 'owner@example.com' };
const promoCode = (code: string, values: Partial<PromoCode>): PromoCode => ({
  id: `00000000-0000-4000-8000-0000000000${code.length}0`,
  code,
  status: 'DISABLED',
  registeredUsersCount: 0,
  createdAt: '2026-11-01T10:00:00Z',
  expiredAt: null,
  referral: owner,
  trialCredit: 1,
  trialCreditsMax: 10,
  budget: 10,
  trialCreditsCount: 0,
  credited: 0,
  heldBecause: null,
  version: 0,
  ...values,
});

it('says why a code does not work, and lets staff disable one that waits, or that of a blocked owner, for good', async () => {
  const data = [
    promoCode('WAITING', { heldBecause: 'APPROVAL' }),
    promoCode('OF-BLOCKED', { heldBecause: 'OWNER' }),
    promoCode('ENDED', { heldBecause: null }),
  ];
  const { screen } = await openAsStaff('/admin/referral-system/codes', {
    answers: { 'GET /v1/referral-system/promo-codes/admin': { data, totalPages: 1, isTruncated: false } },
  });
  const rowOf = async (name: RegExp) => within(await screen.findByRole('row', { name }));
  const waiting = await rowOf(/WAITING/);
  expect(waiting.getByText('Waits for approval')).toBeTruthy();
  expect(waiting.getByRole('button', { name: 'Disable WAITING' })).toBeTruthy();
  const blocked = await rowOf(/OF-BLOCKED/);
  expect(blocked.getByText('Inactive: its owner is blocked')).toBeTruthy();
  expect(blocked.getByRole('button', { name: 'Disable OF-BLOCKED' })).toBeTruthy();
  const ended = await rowOf(/ENDED/);
  expect(ended.getByText('Disabled')).toBeTruthy();
  expect(ended.queryByRole('button')).toBeNull();
});

it('copies the sign-up link of a code that works, also for those who only read', async () => {
  const data = [
    promoCode('SPRING', { status: 'ACTIVE' }),
    promoCode('WAITING', { status: 'DISABLED', heldBecause: 'APPROVAL' }),
  ];
  const { screen, user } = await openAsStaff('/admin/referral-system/codes', {
    allowed: ['PROMO_CODES_READ'],
    answers: { 'GET /v1/referral-system/promo-codes/admin': { data, totalPages: 1, isTruncated: false } },
  });
  await user.click(await screen.findByRole('button', { name: 'Copy the sign-up link of SPRING' }));
  await screen.findByText('Copied');
  expect(await navigator.clipboard.readText()).toBe(`${location.origin}/sign-up?rc=SPRING`);
  expect(screen.queryByRole('button', { name: /of WAITING$/ })).toBeNull();
});

it('asks for the terms of a credit, and says that it waits for approval', { tags: ['thorough'] }, async () => {
  const list = { data: [], totalPages: 0, isTruncated: false };
  const sent: unknown[] = [];
  const { screen, user } = await openAsStaff('/admin/referral-system/codes', {
    answers: {
      'GET /v1/referral-system/promo-codes/admin': list,
      'GET /v1/approvals/admin/promo-codes/allowance': {
        data: { withoutApproval: 100, approvers: [{ id: owner.id, email: 'colleague@example.com' }] },
      },
      'POST /v1/referral-system/promo-codes/admin': ({ body }) => {
        sent.push(body);
        return { data: promoCode('SPRING', { heldBecause: 'APPROVAL' }) };
      },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Create promo code' }));
  const dialog = within(await screen.findByRole('dialog'));
  const type = async (label: string | RegExp, text: string) => {
    await user.clear(dialog.getByLabelText(label));
    await user.type(dialog.getByLabelText(label), text);
  };
  const budget = dialog.getByLabelText('Budget');
  const meaning = document.querySelector(`#${budget.getAttribute('aria-describedby')!.split(' ')[0]}`);
  expect(meaning?.textContent).toBe(
    'Limit for the sum of all credits. When it is reached, the code gives no more credits.',
  );
  await type('Code', 'SPRІNG');
  await type("Owner's email", owner.email);
  await type('Trial credit', '50');
  const submit = dialog.getByRole('button', { name: 'Create' });
  await user.click(submit);
  expect(await dialog.findByText('Only letters A to Z, digits, - and _')).toBeTruthy();
  await type('Code', 'SPRING');
  await user.click(submit);
  await dialog.findAllByText('Required field');
  expect(sent).toEqual([]);
  await type('Maximum credits', '100');
  await type('Budget', '5000');
  await type(/^Reason/, 'spring campaign');
  await user.click(submit);
  await screen.findByText('The promo code SPRING waits until another staff member approves it');
  expect(sent).toEqual([
    {
      code: 'SPRING',
      referralEmail: owner.email,
      trialCredit: 50,
      trialCreditsMax: 100,
      budget: 5000,
      reason: 'spring campaign',
    },
  ]);
});

import type { Broadcast } from '@cellhop/contract/staff/notifications';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openAsStaff } from '../../../test/open-staff.ts';

const broadcast: Broadcast = {
  id: '00000000-0000-4000-8000-00000000b001',
  texts: { en: { description: 'News' }, ru: { description: 'Новости' } },
  audience: {},
  createdBy: null,
  createdAt: '2026-11-01T10:00:00Z',
  isForFew: true,
  recipientCount: null,
  readerCount: 0,
  sentAt: '2026-11-01T10:00:01Z',
  scheduledAt: null,
  isWaiting: false,
  canCancel: false,
  cancelled: null,
  isMailed: false,
  mailCount: 0,
};
const listOf = (...data: Broadcast[]) => ({ data, totalPages: 1, isTruncated: false });

it('says "fewer than 10" before and after a broadcast to few users', { tags: ['thorough'] }, async () => {
  const { screen, user } = await openAsStaff('/admin/broadcasts', {
    answers: {
      'GET /v1/notifications/admin/broadcasts': listOf(broadcast),
      'POST /v1/notifications/admin/broadcasts/recipients': { data: { count: 9, isFew: true } },
    },
  });
  expect(await screen.findByText('Delivered: fewer than 10')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'New broadcast' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.type(dialog.getByLabelText(/^Text \(English\)/), 'News');
  await user.type(dialog.getByLabelText(/^Text \(Русский\)/), 'Новости');
  await user.click(dialog.getByRole('button', { name: 'Count recipients' }));
  expect(await screen.findByRole('dialog', { name: 'Send to fewer than 10 users?' })).toBeTruthy();
});

it('offers only the filters of what the role may read', async () => {
  const { screen, user } = await openAsStaff('/admin/broadcasts', {
    allowed: ['MASS_NOTIFICATIONS_READ', 'MASS_NOTIFICATIONS_WRITE'],
    answers: { 'GET /v1/notifications/admin/broadcasts': listOf() },
  });
  await user.click(await screen.findByRole('button', { name: 'New broadcast' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText(/^You may not read users/)).toBeTruthy();
  expect(dialog.queryByRole('group', { name: 'Recipients' })).toBeNull();
  expect(dialog.queryByLabelText(/Balance/)).toBeNull();
});

it('schedules a broadcast in one language, after a test that only its author gets', async () => {
  const sent: unknown[] = [];
  const tests: unknown[] = [];
  const { fill, screen, user } = await openAsStaff('/admin/broadcasts', {
    answers: {
      'GET /v1/notifications/admin/broadcasts': listOf(),
      'POST /v1/notifications/admin/broadcasts/recipients': { data: { count: 1200, isFew: false } },
      'POST /v1/notifications/admin/broadcasts/test': ({ body }) => {
        tests.push(body);
        return { data: { count: 1 } };
      },
      'POST /v1/notifications/admin/broadcasts': ({ body }) => {
        sent.push(body);
        return { data: { ...broadcast, scheduledAt: '2026-11-02T10:00:00Z', isWaiting: true } };
      },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'New broadcast' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.click(dialog.getByLabelText('Language'));
  await user.click(
    within(await screen.findByRole('listbox', { name: 'Language' })).getByRole('option', { name: 'English' }),
  );
  expect(dialog.queryByLabelText(/^Text \(Русский\)/)).toBeNull();
  await fill(dialog.getByLabelText(/^Text \(English\)/), 'News');
  await user.click(dialog.getByRole('checkbox', { name: /^Also by email/ }));
  await user.click(dialog.getByRole('radio', { name: 'Later' }));
  await user.click(dialog.getByRole('button', { name: 'Count recipients' }));
  await dialog.findByText('Choose a time in the next 90 days');
  const tomorrow = new Date(Date.now() + 86_400_000);
  const [day, month] = [tomorrow.getDate(), tomorrow.getMonth() + 1].map((part) => String(part).padStart(2, '0'));
  await fill(dialog.getByLabelText('Time, in your time zone'), `${day}.${month}.${tomorrow.getFullYear()} 12:30`);
  await user.click(dialog.getByRole('button', { name: 'Send a test to me' }));
  await screen.findByText('The test is in your notifications and on its way to your email');
  await user.click(dialog.getByRole('button', { name: 'Count recipients' }));
  const question = within(await screen.findByRole('dialog', { name: 'Send to 1,200 users?' }));
  question.getByText(/You can cancel it until then/);
  await user.click(question.getByRole('button', { name: 'Schedule' }));
  await screen.findByText('The broadcast is scheduled');
  const texts = { en: { description: 'News' } };
  expect(tests).toEqual([{ texts, isMailed: true }]);
  const at = new Date(tomorrow.getFullYear(), tomorrow.getMonth(), tomorrow.getDate(), 12, 30);
  expect(sent).toEqual([{ texts, audience: { languageCode: 'en' }, isMailed: true, scheduledAt: at.toISOString() }]);
});

it('cancels a broadcast that waits, and says who cancelled others', async () => {
  const waiting = { ...broadcast, sentAt: null, scheduledAt: '2026-12-01T10:00:00Z', isWaiting: true, canCancel: true };
  const by = { id: '00000000-0000-4000-8000-00000000c001', email: 'support@example.com' };
  const cancelled = { ...waiting, isWaiting: false, canCancel: false, cancelled: { at: '2026-11-02T10:00:00Z', by } };
  let current: Broadcast = waiting;
  const { api, screen, user } = await openAsStaff('/admin/broadcasts', {
    answers: {
      'GET /v1/notifications/admin/broadcasts': () => listOf(current),
      'POST /v1/notifications/admin/broadcasts/*/cancel': () => {
        current = cancelled;
        return { data: cancelled };
      },
    },
  });
  await screen.findByText('Scheduled for');
  await user.click(screen.getByRole('button', { name: /^Cancel the broadcast of/ }));
  const question = within(await screen.findByRole('dialog', { name: 'Cancel the broadcast?' }));
  await user.click(question.getByRole('button', { name: 'Cancel broadcast' }));
  await screen.findByText('Cancelled by support@example.com');
  expect(api.requests).toContain(`POST /v1/notifications/admin/broadcasts/${broadcast.id}/cancel`);
});

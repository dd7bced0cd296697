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
};
const listOf = (...data: Broadcast[]) => ({ data, totalPages: 1, isTruncated: false });

it('says "fewer than 10" before and after a broadcast to few users', async () => {
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

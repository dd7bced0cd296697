import { expect, it } from 'vitest';
import { openApp } from '../../../test/open-app.tsx';
import { nothingWaits, openAsStaff } from '../../../test/open-staff.ts';

const faq = { 'GET /v1/faqs': { data: [] }, 'GET /v1/faqs/admin': { data: [], totalPages: 1 } };

it('has the admin area first, and the items of customers collapsed', async () => {
  const { screen, user } = await openAsStaff('/admin/faq', { answers: faq });
  const admin = await screen.findByRole('button', { name: 'Admin Dashboard' });
  const own = screen.getByRole('button', { name: 'Customer area' });
  expect(admin.compareDocumentPosition(own) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  expect([admin, own].map((group) => group.getAttribute('aria-expanded'))).toEqual(['true', 'false']);
  await user.click(own);
  expect(own.getAttribute('aria-expanded')).toBe('true');
});

it('unfolds the items of customers on their screens', async () => {
  const { screen } = await openAsStaff('/faq', { answers: faq });
  const own = await screen.findByRole('button', { name: 'Customer area' });
  expect(own.getAttribute('aria-expanded')).toBe('true');
});

it('says at each item how much waits there, and the sum when the group is collapsed', async () => {
  const attention = {
    ...nothingWaits,
    approvals: { waiting: 3, list: 'ADJUSTMENT' },
    tickets: { waiting: 100, oldest: null },
    heldPayments: 1,
    failedJobs: 2,
    mails: { lateSince: null },
    restore: { isOpen: false },
  };
  const { screen, user } = await openAsStaff('/admin/faq', {
    answers: { ...faq, 'GET /v1/dashboard/admin/attention': { data: attention } },
  });
  await screen.findByRole('link', { name: /^Tickets.*100\+ customers are waiting for a reply$/ });
  screen.getByRole('link', { name: /^Approvals.*3 requests are waiting for your approval$/ });
  screen.getByRole('link', { name: /^Invoices.*1 payment is on hold$/ });
  screen.getByRole('link', { name: /^System.*2 jobs have failed$/ });
  await user.click(screen.getByRole('button', { name: 'Admin Dashboard' }));
  expect(screen.getByRole('button', { name: /^Admin Dashboard.*100\+ items need attention$/ })).toBeTruthy();
});

it('has no groups for customers, nor for a role without a screen of the area', async () => {
  const { screen } = await openApp('/faq', { answers: faq });
  await screen.findByRole('link', { name: 'Proxies' });
  expect(screen.queryByRole('button', { name: 'Customer area' })).toBeNull();
});

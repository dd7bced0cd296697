import type { Attention, Dashboard } from '@cellhop/contract/staff/dashboard';
import { expect, it } from 'vitest';
import { serverNow } from '../../data/server-clock.ts';
import { cleanup, within } from '@testing-library/react';
import { customer, openApp, refusal } from '../../../test/open-app.tsx';
import { nothingWaits, openAsStaff } from '../../../test/open-staff.ts';

const steps = ['2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'];
const series = (total: number) => ({ total, values: [0, total], previousTotal: 0 });
const dashboard: Dashboard = {
  steps,
  revenue: series(1.5),
  topUps: { ...series(25), byCurrency: [{ currency: 'BTC', amount: 25, count: 1 }] },
  traffic: { downloaded: series(2048), uploaded: series(1024) },
  connections: { live: 7 },
  signUps: series(3),
  proxies: { free: 490, sold: 7, unhealthy: 3, byCountry: [{ countryCode: 'DE', free: 40, sold: 2, unhealthy: 1 }] },
  tickets: { open: 2, firstReplySeconds: 600 },
  nodes: { total: 1, online: 1 },
  moneyCheck: { status: 'OK', checkedAt: steps[1]!, violationCount: 0 },
};

it('shows numbers that link to their rows, for a chosen period', { tags: ['thorough'] }, async () => {
  const { screen, user } = await openAsStaff('/admin', { answers: { 'GET /v1/dashboard/admin': { data: dashboard } } });
  await screen.findByRole('heading', { name: 'Proxies by country' });
  screen.getByText('Active connections');
  const linkTarget = (name: string) => screen.getAllByRole('link', { name })[0]?.getAttribute('href');
  expect(linkTarget('$25.00')).toMatch(/from=\d{4}-\d\d-\d\d/);
  expect(linkTarget('490')).toBe('/admin/proxies?state=FREE');
  screen.getByRole('slider', { name: 'Sign-ups' });
  await user.click(screen.getByRole('button', { name: '24 hours' }));
  await expect.poll(() => location.search).toBe('?range=day');
});

it('shows a role only the numbers that it may read', async () => {
  const readable = { tickets: dashboard.tickets };
  const hidden = Object.fromEntries(Object.keys(dashboard).map((part) => [part, null]));
  const { screen } = await openAsStaff('/admin', {
    allowed: ['TICKETS_READ'],
    answers: { 'GET /v1/dashboard/admin': { data: { ...hidden, steps, ...readable } } },
  });
  await screen.findByText('Median first reply');
  expect(screen.queryByText('Revenue')).toBeNull();
  expect(screen.queryByRole('heading', { name: 'Proxies by country' })).toBeNull();
});

it('shows first what needs attention, each as a link to where it is dealt with', async () => {
  const waitingSince = new Date(serverNow() - 3 * 3_600_000).toISOString();
  const attention: Attention = {
    approvals: { waiting: 2, list: 'SETTLEMENT' },
    tickets: { waiting: 100, oldest: { id: customer.id, name: 'No traffic', waitingSince } },
    heldPayments: 1,
    unhealthyProxies: 1284,
    proxiesElsewhere: 3,
    silentNodes: 1,
    failingNodes: ['paris'],
    troubledChains: ['bitcoin', 'ton'],
    failedJobs: 100,
    mails: { lateSince: null },
    machine: { fullDisk: { usedPercent: 93 }, lateBackup: { newestAt: null } },
    restore: { isOpen: true, movedAt: null },
    moneyCheck: { isBroken: true, violationCount: 3 },
  };
  const { screen } = await openAsStaff('/admin', {
    answers: {
      'GET /v1/dashboard/admin': { data: dashboard },
      'GET /v1/dashboard/admin/attention': { data: attention },
    },
  });
  const row = await screen.findByRole('region', { name: 'Needs attention' });
  within(row).getByText(/^The database was restored to an earlier time/);
  const links = [...row.querySelectorAll('a')].map((link) => [link.textContent, link.getAttribute('href')]);
  expect(links).toEqual([
    ['The money does not add up: 3 discrepancies', '/admin/system'],
    ['2 requests are waiting for your approval', '/admin/approvals?kind=SETTLEMENT&status=PENDING'],
    ['1 payment is on hold', '/admin/payment/invoices'],
    ['100+ customers are waiting for a replyLongest: 3 h 0 min, No traffic', `/admin/tickets/${customer.id}`],
    ['The disk is used by 93%', '/admin/system'],
    ['There is no backup', '/admin/system'],
    ['1 gateway is not reporting', '/admin/nodes'],
    ['2 chains accept no payments', '/admin/system'],
    ['100+ jobs have failed', '/admin/system?state=FAILED'],
    ['A tenth of the exits of gateway paris fail', '/admin/nodes'],
    ['1,284 proxies are unhealthy', '/admin/proxies?state=UNHEALTHY'],
    ['3 proxies have another country or operator than the catalogue says', '/admin/proxies?state=ELSEWHERE'],
  ]);
});

it('says that the database is another one, which is not urgent', async () => {
  const { screen } = await openAsStaff('/admin', {
    answers: {
      'GET /v1/dashboard/admin': { data: dashboard },
      'GET /v1/dashboard/admin/attention': {
        data: { ...nothingWaits, restore: { isOpen: false, movedAt: '2026-11-21T10:00:00.000Z' } },
      },
    },
  });
  const row = await screen.findByRole('region', { name: 'Needs attention' });
  expect(
    within(row)
      .getByText(/^The database is another one/)
      .closest('li')?.dataset['urgent'],
  ).toBe('false');
});

it('shows no row of attention while nothing waits, or while the role may read nothing that does', async () => {
  const nothingReadable = Object.fromEntries(Object.keys(nothingWaits).map((part) => [part, null]));
  for (const attention of [nothingWaits, { ...nothingReadable, approvals: nothingWaits.approvals }]) {
    const { screen } = await openAsStaff('/admin', {
      answers: {
        'GET /v1/dashboard/admin': { data: dashboard },
        'GET /v1/dashboard/admin/attention': { data: attention },
      },
    });
    await screen.findByRole('heading', { name: 'Proxies by country' });
    expect(screen.queryByText('Needs attention')).toBeNull();
    cleanup();
  }
});

it('compares the sums with those of the previous period, and shows each sum at its chart', async () => {
  const sums = {
    ...dashboard,
    revenue: { ...series(1.5), previousTotal: 1 },
    topUps: { ...dashboard.topUps!, previousTotal: 50 },
    traffic: {
      downloaded: { ...series(2048), previousTotal: 2048 },
      uploaded: { ...series(1024), previousTotal: 1024 },
    },
  };
  const { screen } = await openAsStaff('/admin', { answers: { 'GET /v1/dashboard/admin': { data: sums } } });
  expect((await screen.findByText('50% more than before')).title).toBe('Previous period, up to the same point: $1.00');
  expect(screen.getByText('50% less than before').title).toBe('Previous period, up to the same point: $50.00');
  screen.getByText('nothing before');
  const headOf = (name: string) => screen.getByRole('heading', { name }).parentElement?.textContent;
  expect(headOf('Revenue')).toBe('Revenue$1.50');
  expect(headOf('Traffic, MB')).toBe('Traffic, MB0.00 GB');
});

it('shows the eight countries with the most proxies, and all on request', async () => {
  const codes = ['DE', 'FR', 'US', 'GB', 'ES', 'IT', 'NL', 'BE', 'PL', 'SE'];
  const byCountry = codes.map((countryCode) => ({ countryCode, free: 1, sold: 0, unhealthy: 0 }));
  const { screen, user } = await openAsStaff('/admin', {
    answers: { 'GET /v1/dashboard/admin': { data: { ...dashboard, proxies: { ...dashboard.proxies!, byCountry } } } },
  });
  await screen.findByText('Belgium');
  expect(screen.queryByText('Sweden')).toBeNull();
  await user.click(screen.getByRole('link', { name: 'Show all 10 countries' }));
  await screen.findByText('Sweden');
  expect(location.search).toBe('?countries=all');
});

it('leads customers to the proxies', async () => {
  const { screen } = await openApp('/admin', {
    answers: { 'GET /v1/proxies': refusal(500, 'INTERNAL'), 'GET /v1/proxies/filter': refusal(500, 'INTERNAL') },
  });
  await screen.findByRole('heading', { level: 1, name: 'Proxies' });
  expect(location.pathname).toBe('/proxies');
});

/** The texts of an axis, from the bottom. */
function axisTexts(slider: HTMLElement): string[] {
  const axes = slider.closest('section')!;
  return [...axes.querySelectorAll('[style^="top"]')].map((tick) => tick.textContent);
}

it('shows revenue in cents, less than ten with three decimals, also beside small bars, and large traffic in gigabytes', async () => {
  const gigabyte = 1024 ** 2;
  const small = {
    ...dashboard,
    revenue: series(0.0149),
    topUps: { ...series(25.0099), byCurrency: [{ currency: 'USDT_BSC', amount: 25.0099, count: 1 }] },
    signUps: series(1),
    traffic: { downloaded: series(1.5 * gigabyte), uploaded: series(0.75 * gigabyte) },
  };
  const { screen } = await openAsStaff('/admin', { answers: { 'GET /v1/dashboard/admin': { data: small } } });
  const revenue = await screen.findByRole('slider', { name: 'Revenue' });
  expect(revenue.getAttribute('aria-valuetext')).toMatch(/\n\$0\.015$/);
  expect(axisTexts(revenue)).toEqual(['$0.00', '$0.010', '$0.020']);
  screen.getByRole('link', { name: '$0.015' });
  expect(screen.getAllByRole('link', { name: '$25.01' })).toHaveLength(2);
  expect(axisTexts(screen.getByRole('slider', { name: 'Sign-ups' }))).toEqual(['0', '1']);

  screen.getByRole('link', { name: '2.25 GB' });
  const traffic = screen.getByRole('slider', { name: 'Traffic, GB' });
  expect(traffic.getAttribute('aria-valuetext')).toMatch(/Downloaded: 1\.50 GB\nUploaded: 768\.0 MB$/);
  expect(axisTexts(traffic)).toEqual(['0', '1', '2', '3']);
});

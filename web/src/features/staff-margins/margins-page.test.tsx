import { within } from '@testing-library/react';
import type { Margin } from '@cellhop/contract/staff/margins';
import { expect, it, vi } from 'vitest';
import { refusal } from '../../../test/open-app.tsx';
import { catchDownloads } from '../../../test/downloads.ts';
import { openAsStaff } from '../../../test/open-staff.ts';

const GIGABYTE_KIB = 1_048_576;
const costed: Margin = {
  id: '00000000-0000-4000-8000-00000000e001',
  node: 'paris',
  exit: 'socks5://farm.example.com:8000',
  trafficUsed: 10 * GIGABYTE_KIB,
  trafficWithoutCost: 0,
  revenue: 20,
  cost: 25.5,
  margin: -5.5,
  marginPercent: -27.5,
};
const uncosted: Margin = {
  id: '00000000-0000-4000-8000-00000000e002',
  node: 'berlin',
  exit: '',
  trafficUsed: 2 * GIGABYTE_KIB,
  trafficWithoutCost: 2 * GIGABYTE_KIB,
  revenue: 4,
  cost: null,
  margin: 4,
  marginPercent: 100,
};
const unused: Margin = { ...uncosted, id: 'x', trafficUsed: 0, trafficWithoutCost: 0, revenue: 0, marginPercent: null };
const total = {
  trafficUsed: 12 * GIGABYTE_KIB,
  trafficWithoutCost: 2 * GIGABYTE_KIB,
  revenue: 24,
  cost: 25.5,
  margin: -1.5,
  marginPercent: -6.2,
};
const answers = {
  'GET /v1/transactions/admin/margins': { data: [costed, uncosted, unused], totalPages: 1, total },
  'GET /v1/transactions/admin/margins/months': { data: ['2026-02', '2026-01'] },
};

const cellsOf = (row: HTMLElement) =>
  within(row)
    .getAllByRole('cell')
    .map(({ textContent }) => textContent);

it('says which exits have no cost, and that their margin is at most what they earned', async () => {
  const { screen } = await openAsStaff('/admin/margins?month=2026-02', { answers });
  await screen.findByRole('row', { name: /^socks5:/ });
  const rows = screen.getAllByRole('row');
  expect(rows.slice(1).map(cellsOf)).toEqual([
    ['socks5://farm.example.com:8000', 'paris', '10.00 GB', '$20.00', '$25.50', '-$5.50', '-27.5%'],
    ['default route', 'berlin', '2.00 GB', '$4.00', 'Not set', 'at most $4.00', 'at most 100.0%'],
    ['default route', 'berlin', '0.00 GB', '$0.00', 'Not set', '$4.00', '–'],
  ]);
  const sums = within(screen.getByRole('region', { name: 'Total' }));
  expect(sums.getAllByRole('definition').map(({ textContent }) => textContent)).toEqual([
    '12.00 GB',
    '$24.00',
    '$25.50, and 2.00 GB without a cost',
    'at most -$1.50',
    'at most -6.2%',
  ]);
});

it('has a month and what rows are for in its address, and exports what it shows', async () => {
  const downloads = catchDownloads();
  const asked: string[] = [];
  const list = ({ url }: { url: URL }) => {
    asked.push(url.search);
    const country = { ...costed, id: 'DE', node: null, exit: null };
    return { data: url.searchParams.get('by') === 'country' ? [country] : [costed], totalPages: 1, total };
  };
  const { screen, user } = await openAsStaff('/admin/margins?month=2026-02', {
    answers: {
      ...answers,
      'GET /v1/transactions/admin/margins': list,
      'GET /v1/transactions/admin/margins/export': ({ url }) =>
        new Response(`month,country\r\n${url.searchParams.get('month')},${url.searchParams.get('by')}\r\n`, {
          headers: { 'content-disposition': 'attachment' },
        }),
    },
  });
  await screen.findByRole('row', { name: /^socks5:/ });
  await user.click(screen.getByRole('combobox', { name: 'Rows' }));
  await user.click(await screen.findByRole('option', { name: 'Countries' }));
  expect(await screen.findByRole('row', { name: /Germany/ })).toBeTruthy();
  await user.click(screen.getByRole('combobox', { name: 'Month' }));
  await user.click(await screen.findByRole('option', { name: 'January 2026' }));
  await vi.waitFor(() => expect(location.search).toBe('?month=2026-01&by=country'));
  expect(asked).toEqual([
    '?month=2026-02&by=exit&page=1&size=50',
    '?month=2026-02&by=country&page=1&size=50',
    '?month=2026-01&by=country&page=1&size=50',
  ]);
  await user.click(screen.getByRole('button', { name: 'Export CSV' }));
  await expect.poll(() => downloads[0]?.name).toBe('margins.csv');
  expect(await downloads[0]!.text()).toBe('\uFEFFmonth,country\r\n2026-01,country\r\n');
});

it('says when it cannot be loaded, and when there is nothing in a month', async () => {
  let isDown = true;
  const { screen, user } = await openAsStaff('/admin/margins', {
    answers: {
      ...answers,
      'GET /v1/transactions/admin/margins': () =>
        isDown ? refusal(403, 'FORBIDDEN') : { data: [], totalPages: 0, total: { ...total, cost: null } },
    },
  });
  expect(await screen.findByText('Failed to load the margins')).toBeTruthy();
  isDown = false;
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Nothing was carried or charged in this month.')).toBeTruthy();
});

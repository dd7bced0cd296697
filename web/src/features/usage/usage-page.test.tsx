import type { UsageConnection } from '@cellhop/contract/usage';
import { fireEvent, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { catchDownloads } from '../../../test/downloads.ts';
import { type Answers, customer, openApp, refusal } from '../../../test/open-app.tsx';

function connection(id: number, spent: number, trafficUsed: number): UsageConnection {
  return {
    id: `00000000-0000-4000-8000-00000000000${id}`,
    ip: `198.18.0.${id}`,
    countryCode: 'DE',
    createdAt: `2026-11-0${id}T10:00:00.000Z`,
    spent,
    trafficUsed,
    uploaded: 0,
  };
}

const dear = connection(1, 2, 1024);
const busy = connection(2, 1, 4096);

const answers: Answers = {
  // What the API makes of each order has tests of its own.
  'GET /v1/usage': ({ url }) => {
    const sort = url.searchParams.get('sort');
    const connections = sort === '-trafficUsed' || sort === 'spent' ? [busy, dear] : [dear, busy];
    const total = { spent: 3, trafficUsed: 5120, uploaded: 0 };
    return { data: { total, points: [{ at: dear.createdAt, ...total }], connections } };
  },
};

it('sorts the connections by their columns, by keyboard, and the address keeps the order', async () => {
  const { screen, user } = await openApp('/usage', { answers });
  const table = within(await screen.findByRole('region', { name: 'By connection' }));
  const header = (name: string) => table.getByRole('columnheader', { name: new RegExp(`^${name}`) });
  const findOrder = (name: string) => header(name).getAttribute('aria-sort');
  const firstRow = () => table.getAllByRole('row')[1]?.textContent;
  await expect.poll(firstRow).toContain(dear.ip);
  expect(findOrder('Spent')).toBe('descending');
  expect(within(header('Country')).queryByRole('button')).toBeNull();

  const byTraffic = within(header('Used traffic')).getByRole('button');
  byTraffic.focus();
  await user.keyboard('{Enter}');
  await expect.poll(firstRow).toContain(busy.ip);
  expect(location.search).toBe('?sort=-trafficUsed');
  expect([findOrder('Used traffic'), findOrder('Spent')]).toEqual(['descending', null]);
  expect(document.activeElement).toBe(within(header('Used traffic')).getByRole('button'));
  await user.keyboard(' ');
  await expect.poll(firstRow).toContain(dear.ip);
  expect(findOrder('Used traffic')).toBe('ascending');
  history.back();
  await expect.poll(firstRow).toContain(busy.ip);
});

it('offers the same orders in a list on a phone', async () => {
  const { screen, user } = await openApp('/usage?sort=-trafficUsed', { answers, width: 390 });
  const choice = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'Sort by' });
  expect(choice.value).toBe('-trafficUsed');
  await user.selectOptions(choice, 'Spent, descending');
  await expect.poll(() => location.search).toBe('');
  await user.selectOptions(choice, 'Spent, ascending');
  await expect.poll(() => location.search).toBe('?sort=spent');
  const list = within(screen.getByRole('list', { name: 'By connection' }));
  await expect.poll(() => list.getAllByRole('listitem')[0]?.textContent).toContain(busy.ip);
  // Two lines: no field has a label.
  expect(list.queryAllByRole('term')).toEqual([]);
});

/** 24 hours, of which the last one had a cost. */
const hours: Answers = {
  'GET /v1/usage': ({ url }) => {
    const from = Date.parse(url.searchParams.get('from')!);
    const isHourly = url.searchParams.get('step') === 'hour';
    const points = Array.from({ length: isHourly ? 24 : 7 }, (_, index) => ({
      at: new Date(from + index * (isHourly ? 3_600_000 : 86_400_000)).toISOString(),
      trafficUsed: 0,
      uploaded: 0,
      spent: isHourly && index === 23 ? 0.4 : 0,
    }));
    return { data: { total: { spent: 0.4, trafficUsed: 0, uploaded: 0 }, points, connections: [dear, busy] } };
  },
};

it('shows a failure without placeholders, and then that there was no usage', async () => {
  const { api, screen, user } = await openApp('/usage', { answers: { 'GET /v1/usage': refusal(500, 'INTERNAL') } });
  await screen.findByText('Usage could not be loaded');
  expect(screen.queryByRole('table')).toBeNull();
  const total = { spent: 0, trafficUsed: 0, uploaded: 0 };
  api.set({ 'GET /v1/usage': { data: { total, points: [{ at: dear.createdAt, ...total }], connections: [] } } });
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByText('Nothing was spent in this period.');
  screen.getByText('No connection used any traffic in this period.');
});

it('shows the cost as a chart for keyboards, as a table and as CSV', async () => {
  const downloads = catchDownloads();
  const { screen, user } = await openApp('/usage', { answers: hours });
  await user.click(await screen.findByRole('button', { name: '24 hours' }));
  await expect.poll(() => location.search).toBe('?range=day');
  const spending = await screen.findByRole<HTMLInputElement>('slider', { name: 'Spending' });
  // Until the hours have loaded, the chart shows the days.
  await expect.poll(() => spending.max).toBe('23');
  expect(screen.getByText('Spent', { selector: 'dt' }).nextElementSibling?.textContent).toBe('$0.40');
  spending.focus();
  expect(spending.getAttribute('aria-valuetext')).toMatch(/\$0\.40$/);
  fireEvent.change(spending, { target: { value: '22' } });
  expect(spending.getAttribute('aria-valuetext')).toMatch(/\$0\.00$/);
  await user.click(screen.getAllByText('Show as a table')[0]!);
  expect(screen.getAllByRole('row', { name: /\$0\.40/ }).length).toBeGreaterThan(0);
  await user.click(screen.getByRole('button', { name: 'Download CSV' }));
  const csv = await downloads[0]!.text();
  expect(csv.split('\r\n')).toHaveLength(24 + 2);
  expect(csv).toContain(',0.4\r\n');
});

it('shows one connection, and a range of days, both in the address', async () => {
  const { api, fill, screen, user } = await openApp('/usage', { answers: hours });
  await user.click(await screen.findByRole('button', { name: `Show only ${dear.ip}` }));
  await expect.poll(() => location.search).toBe(`?connection=${dear.id}`);
  await screen.findByRole('button', { name: `Only ${dear.ip}` });
  expect(api.requests.some((request) => request.includes(`connectionId=${dear.id}`))).toBe(true);

  await user.click(screen.getByRole('button', { name: 'Custom range' }));
  const from = screen.getByRole('textbox', { name: 'From' });
  const to = screen.getByRole('textbox', { name: 'To' });
  await fill(from, '10.02.2026');
  await fill(to, '01.02.2026');
  await user.click(screen.getByRole('button', { name: 'Show' }));
  await screen.findByText('The start date must not be after the end date');
  await fill(to, '19.02.2026');
  await user.click(screen.getByRole('button', { name: 'Show' }));
  await expect.poll(() => location.search).toContain('from=2026-02-10&to=2026-02-19');
});

it('asks for the hours of the server, also if the clock of the device is 26 hours off', async () => {
  const server = new Date(Date.now() - 26 * 3_600_000);
  const { api, screen, user } = await openApp('/usage', {
    answers: {
      ...answers,
      'GET /v1/profile': () => Response.json({ data: customer }, { headers: { date: server.toUTCString() } }),
    },
  });
  await user.click(await screen.findByRole('button', { name: '24 hours' }));
  const asked = () => api.requests.findLast((request) => request.includes('step=hour')) ?? '';
  await expect.poll(asked).not.toBe('');
  const to = Date.parse(decodeURIComponent(/[?&]to=([^&]*)/.exec(asked())![1]!));
  expect(to).toBeGreaterThan(server.getTime());
  expect(to).toBeLessThanOrEqual(server.getTime() + 2 * 3_600_000);
});

it('shows large traffic in gigabytes, in the notation of the language', async () => {
  const total = { spent: 3, trafficUsed: 1.5 * 1024 ** 2, uploaded: 512 * 1024 };
  const points = [{ at: dear.createdAt, ...total }];
  const large = { 'GET /v1/usage': { data: { total, points, connections: [{ ...dear, ...total }] } } };
  const { screen } = await openApp('/usage', { answers: large, language: 'ru' });
  await screen.findByRole('slider', { name: 'Трафик, ГБ' });
  expect(screen.getByText('Трафик', { selector: 'dt' }).nextElementSibling?.textContent).toBe('1,50 ГБ');
  expect(screen.getByText('Отправлено', { selector: 'dt' }).nextElementSibling?.textContent).toBe('512,0 МБ');
  expect(screen.getAllByText('0,5')).not.toHaveLength(0);
  screen.getByRole('cell', { name: '1,50 ГБ' });
});

import type { UsageConnection } from '@cellhop/contract/usage';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Answers, openApp } from '../../../test/open-app.tsx';

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
  const orderOf = (name: string) => header(name).getAttribute('aria-sort');
  const firstRow = () => table.getAllByRole('row')[1]?.textContent;
  await expect.poll(firstRow).toContain(dear.ip);
  expect(orderOf('Spent')).toBe('descending');
  expect(within(header('Country')).queryByRole('button')).toBeNull();

  const byTraffic = within(header('Used traffic')).getByRole('button');
  byTraffic.focus();
  await user.keyboard('{Enter}');
  await expect.poll(firstRow).toContain(busy.ip);
  expect(location.search).toBe('?sort=-trafficUsed');
  expect([orderOf('Used traffic'), orderOf('Spent')]).toEqual(['descending', null]);
  expect(document.activeElement).toBe(within(header('Used traffic')).getByRole('button'));
  await user.keyboard(' ');
  await expect.poll(firstRow).toContain(dear.ip);
  expect(orderOf('Used traffic')).toBe('ascending');
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
});

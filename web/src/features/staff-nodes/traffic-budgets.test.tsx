import { within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { refusal } from '../../../test/open-app.tsx';
import { openAsStaff } from '../../../test/open-staff.ts';

const NODE_ID = '00000000-0000-4000-8000-00000000a001';
const node = {
  id: NODE_ID,
  name: 'paris',
  isLive: true,
  isDraining: false,
  version: 0,
  lastReportAt: '2026-11-21T14:00:00Z',
  softwareVersion: '0.5.0',
  relay: 'splice',
  tunnels: 1,
  bytesPerSecond: 1,
  host: 'paris.example.com',
  port: 1080,
  dnsPorts: { free: 1, total: 1 },
  exits: 2,
  openConnections: 1,
  runs: [],
  lastFailure: null,
};
const budget = {
  id: '00000000-0000-4000-8000-00000000b001',
  exitId: null,
  exit: null,
  nodeId: NODE_ID,
  node: 'paris',
  gigabytes: 500,
  trafficUsed: 460 * 1_048_576,
  isSpent: true,
};
const budgets = { data: [budget], totalPages: 1, isTruncated: false };

it('shows what is used of a budget, and changes that of a gateway', async () => {
  const sent: unknown[] = [];
  const { screen, user } = await openAsStaff('/admin/nodes', {
    answers: {
      'GET /v1/nodes/admin': { data: [node] },
      'GET /v1/nodes/admin/traffic-budgets': budgets,
      'GET /v1/nodes/admin/*/traffic': { data: { gigabytes: 500, costPerGigabyte: 0.125 } },
      'PATCH /v1/nodes/admin/*/traffic': ({ body }) => {
        sent.push(body);
        return { data: body };
      },
    },
  });
  const section = within(await screen.findByRole('region', { name: 'Monthly traffic' }));
  expect(section.getByText(/of 500 GB \(92%\)/)).toBeTruthy();
  expect(section.getByText('All exits')).toBeTruthy();
  expect(section.getByText('Not sold')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Traffic and cost of paris' }));
  const dialog = within(await screen.findByRole('dialog'));
  const field = await dialog.findByLabelText<HTMLInputElement>(/^Gigabytes a month/);
  expect(field.value).toBe('500');
  await user.type(field, '.5');
  const save = dialog.getByRole('button', { name: 'Save' });
  expect(dialog.getByText('Enter a whole number like 1,234')).toBeTruthy();
  await user.click(save);
  await user.clear(field);
  await user.type(field, '600');
  await user.click(save);
  expect(await screen.findByText('Traffic and cost saved')).toBeTruthy();
  expect(sent).toEqual([{ gigabytes: 600 }]);
});

it('opens with what is stored, so that Save without a change removes nothing', async () => {
  const sent: unknown[] = [];
  const { screen, user } = await openAsStaff('/admin/nodes', {
    answers: {
      'GET /v1/nodes/admin': { data: [node] },
      'GET /v1/nodes/admin/*/traffic': { data: { gigabytes: 500, costPerGigabyte: 0.125 } },
      'PATCH /v1/nodes/admin/*/traffic': ({ body }) => {
        sent.push(body);
        return { data: body };
      },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Traffic and cost of paris' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.click(await dialog.findByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(sent).toEqual([]);
});

it('changes the cost alone, and removes it when the field is empty', async () => {
  const sent: unknown[] = [];
  const { screen, user } = await openAsStaff('/admin/nodes', {
    answers: {
      'GET /v1/nodes/admin': { data: [node] },
      'GET /v1/nodes/admin/*/traffic': { data: { gigabytes: 500, costPerGigabyte: 0.125 } },
      'PATCH /v1/nodes/admin/*/traffic': ({ body }) => {
        sent.push(body);
        return { data: body as object };
      },
    },
  });
  for (const [typed, text] of [
    ['0.000001', '0.125'],
    ['', '0.125'],
  ] as const) {
    await user.click(await screen.findByRole('button', { name: 'Traffic and cost of paris' }));
    const dialog = within(await screen.findByRole('dialog'));
    const field = await dialog.findByLabelText<HTMLInputElement>(/^Cost of a gigabyte/);
    expect(field.value).toBe(text);
    await user.clear(field);
    if (typed !== '') await user.type(field, typed);
    await user.click(dialog.getByRole('button', { name: 'Save' }));
    await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  }
  expect(sent).toEqual([{ costPerGigabyte: 0.000_001 }, { costPerGigabyte: null }]);
});

it('does not show a form before it knows what is stored', async () => {
  const { screen, user } = await openAsStaff('/admin/nodes', {
    answers: {
      'GET /v1/nodes/admin': { data: [node] },
      'GET /v1/nodes/admin/*/traffic': () => refusal(403, 'FORBIDDEN'),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Traffic and cost of paris' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(await dialog.findByText('Failed to load traffic and cost')).toBeTruthy();
  expect(dialog.queryByRole('button', { name: 'Save' })).toBeNull();
});

it('has no section without budgets, and no button for who may not change gateways', async () => {
  const { screen } = await openAsStaff('/admin/nodes', {
    allowed: ['NODES_READ'],
    answers: {
      'GET /v1/nodes/admin': { data: [node] },
      'GET /v1/nodes/admin/traffic-budgets': { ...budgets, data: [] },
    },
  });
  await screen.findByRole('row', { name: /paris/ });
  expect(screen.queryByRole('region', { name: 'Monthly traffic' })).toBeNull();
  expect(screen.queryByRole('button', { name: /Traffic and cost/ })).toBeNull();
});

import type { GatewayNode } from '@cellhop/contract/staff/nodes';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openAsStaff } from '../../../test/open-staff.ts';

const node: GatewayNode = {
  id: '00000000-0000-4000-8000-000000000001',
  name: 'default',
  isLive: true,
  isDraining: false,
  version: 3,
  lastReportAt: '2026-11-21T12:00:00.000Z',
  softwareVersion: '0.1.0',
  tunnels: 2,
  bytesPerSecond: 1000,
  host: 'proxy.example.com',
  port: 1080,
  dnsPorts: { free: 900, total: 1000 },
  exits: 4,
  openConnections: 100,
};

it('drains a gateway, with a reason, and stops draining it', async () => {
  const changes: unknown[] = [];
  let shown = node;
  const { screen, user } = await openAsStaff('/admin/nodes', {
    answers: {
      'GET /v1/nodes/admin': () => ({ data: [shown] }),
      'PATCH /v1/nodes/admin/*': ({ body }) => {
        changes.push(body);
        shown = { ...shown, isDraining: (body as GatewayNode).isDraining, version: shown.version + 1 };
        return { data: shown };
      },
    },
  });
  const region = within(await screen.findByRole('region', { name: 'Gateways' }));
  const row = () => region.getAllByRole('row')[1]?.textContent;
  await expect.poll(row).toMatch(/^default.*Online/);
  await user.click(screen.getByRole('button', { name: 'Drain default' }));
  const question = within(await screen.findByRole('dialog'));
  await user.type(question.getByLabelText('Reason (optional)'), 'new hardware');
  await user.click(question.getByRole('button', { name: 'Drain' }));
  await expect.poll(row).toContain('Draining');
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();

  await user.click(screen.getByRole('button', { name: 'Stop draining default' }));
  const stop = within(await screen.findByRole('dialog'));
  await user.click(stop.getByRole('button', { name: 'Stop draining' }));
  await expect.poll(row).not.toContain('Draining');
  expect(changes).toEqual([
    { isDraining: true, reason: 'new hardware', version: 3 },
    { isDraining: false, version: 4 },
  ]);
});

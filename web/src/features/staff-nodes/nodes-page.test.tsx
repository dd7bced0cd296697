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
  relay: 'splice',
  tunnels: 2,
  bytesPerSecond: 1000,
  host: 'proxy.example.com',
  port: 1080,
  dnsPorts: { free: 900, total: 1000 },
  exits: 4,
  openConnections: 100,
  runs: [],
  lastFailure: null,
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

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

it('says of a gateway that is away since when, the last error of its exits, and how long it ran today', async () => {
  const away: GatewayNode = {
    ...node,
    isLive: false,
    runs: [
      { from: ago(30), to: ago(20) },
      { from: ago(22), to: ago(18) },
      { from: ago(4), to: ago(1) },
    ],
    lastFailure: { reason: 'echo-unreachable', at: '2026-11-21T11:59:00.000Z' },
  };
  const { screen } = await openAsStaff('/admin/nodes', { answers: { 'GET /v1/nodes/admin': { data: [away] } } });
  const region = within(await screen.findByRole('region', { name: 'Gateways' }));
  const texts = () => region.queryAllByRole('listitem').map(({ textContent }) => textContent);
  await expect.poll(() => texts().length).toBe(3);
  const [since, failure, day] = texts();
  expect(since).toMatch(/^Since 21\.11\.2026 /);
  expect(failure).toMatch(/^Last error of an exit: the gateway cannot reach our check server either \(21\.11\.2026 /);
  expect(day).toBe('Online for 9 of the last 24 hours');
});

it('has all of a gateway on a phone, in two lines and what opens below them', async () => {
  const { screen, user } = await openAsStaff('/admin/nodes', {
    answers: { 'GET /v1/nodes/admin': { data: [node] } },
    width: 390,
  });
  await user.click(await screen.findByText('More'));
  const terms = screen.getAllByRole('term').map(({ textContent }) => textContent);
  const values = screen.getAllByRole('definition').map(({ textContent }) => textContent);
  expect(terms).toEqual(['Version', 'Tunnels', 'DNS ports, free / all', 'Last report']);
  expect(values).toEqual(['0.1.0, native code', '2', '900 / 1,000', expect.stringContaining('21.11.2026')]);
});

it('says until when the certificate of a gateway is valid, and whether it is for its host', async () => {
  const certificate = { endsAt: new Date(2027, 0, 5, 12).toISOString(), fitsHost: false };
  const { screen } = await openAsStaff('/admin/nodes', {
    answers: { 'GET /v1/nodes/admin': { data: [{ ...node, certificate }] } },
  });
  const region = within(await screen.findByRole('region', { name: 'Gateways' }));
  await expect.poll(() => region.queryByText(/, for another name/)).not.toBeNull();
  expect(region.getByText('05.01.2027 12:00')).toBeTruthy();
});

it.each([
  ['splice', '0.1.0, native code'],
  ['pump', '0.1.0, TypeScript'],
  [null, '0.1.0'],
])('says what moves the bytes of a gateway: %s', async (relay, text) => {
  const { screen } = await openAsStaff('/admin/nodes', {
    answers: { 'GET /v1/nodes/admin': { data: [{ ...node, relay }] } },
  });
  const region = within(await screen.findByRole('region', { name: 'Gateways' }));
  await expect.poll(() => region.queryByText(text)).not.toBeNull();
});

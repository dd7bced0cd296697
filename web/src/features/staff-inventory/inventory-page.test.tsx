import type { ExitDay } from '@cellhop/contract/staff/exit-checks';
import type { InventoryProxy } from '@cellhop/contract/staff/inventory';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { exampleProxy } from '../../../test/example-connections.ts';
import { isDisabled } from '../../../test/open-app.tsx';
import { openAsStaff } from '../../../test/open-staff.ts';

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
const working: NonNullable<InventoryProxy['check']> = {
  health: 'HEALTHY',
  checkedAt: ago(25),
  latencyMs: 120,
  reason: null,
  seenAddress: '198.18.0.1',
  isAddressDifferent: false,
};

function example(number: number, state: InventoryProxy['state'], check: InventoryProxy['check']): InventoryProxy {
  const exit = {
    id: `00000000-0000-4000-9000-00000000000${number}`,
    node: 'paris',
    kind: 'http',
    address: 'http://a.test:1',
    names: check?.capabilities?.dns === false ? ('node' as const) : ('exit' as const),
  };
  const isHealthy = check?.health === 'HEALTHY';
  return { ...exampleProxy(number), exit, check, state, isHealthy, isRetired: false, rotation: null, connection: null };
}

const proxies = [
  example(1, 'FREE', working),
  example(2, 'FREE', { ...working, seenAddress: '198.18.9.9', isAddressDifferent: true }),
  example(3, 'UNHEALTHY', {
    ...working,
    health: 'UNHEALTHY',
    reason: 'upstream-refused:403',
    capabilities: { udp: true, ipv6: null, dns: false, resolver: '203.0.113.53' },
  }),
  example(4, 'UNCHECKED', { ...working, health: 'UNCHECKED', checkedAt: null, latencyMs: null, seenAddress: null }),
  example(5, 'UNHEALTHY', { ...working, health: 'UNHEALTHY', reason: 'a-reason-of-a-newer-release' }),
  { ...example(6, 'FREE', { ...working, seenAddress: null }), asn: null },
];

async function openInventory(answers: Parameters<typeof openAsStaff>[1] = {}) {
  const app = await openAsStaff('/admin/proxies', {
    ...answers,
    answers: {
      'GET /v1/proxies/admin': { data: proxies, totalPages: 1 },
      'GET /v1/proxies/admin/changes': { data: [] },
      'GET /v1/proxies/admin/waiting': { data: [], totalPages: 0 },
      ...answers.answers,
    },
  });
  const region = within(await app.screen.findByRole('region', { name: 'Proxies' }));
  await expect.poll(() => region.getAllByRole('row').length).toBe(1 + proxies.length);
  return { ...app, rows: () => region.getAllByRole('row').map(({ textContent }) => textContent) };
}

it('shows the last check of each exit: when, how fast or why not, and the address seen', async () => {
  const { rows } = await openInventory();
  const [, good, other, refused, unchecked, newer, local] = rows();
  expect(good).toMatch(/Free\d+ s ago120\sms198\.18\.0\.1/);
  expect(other).toContain('198.18.9.9not the one sold');
  expect(refused).toMatch(/Unhealthy\d+ s agothe proxy refuses the connection \(403\)–/);
  expect(unchecked).toContain('Uncheckednot checked yet––');
  expect(newer).toContain('a-reason-of-a-newer-release');
  expect(local).toContain('not compared');
});

it('shows the autonomous system of the operator, where it is known', async () => {
  const [, known, , , , , unknown] = (await openInventory()).rows();
  expect(known).toContain('Telekom, LTE, AS3320');
  expect(unknown).toContain('Telekom, LTE$0.80');
});

it('lets the gateway check an exit now, if the role may change proxies', async () => {
  const { api, screen, user } = await openInventory({
    answers: {
      'POST /v1/proxies/admin/exits/*/check': ({ url }) => ({ data: { id: url.pathname.split('/').at(-2) } }),
    },
  });
  await user.click(screen.getByRole('button', { name: 'Actions for 198.18.0.3' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Check now' }));
  await screen.findByText('The gateway is checking the exit');
  expect(api.requests).toContain(`POST /v1/proxies/admin/exits/${proxies[2]!.exit.id}/check`);
});

it('shows those who only read the checks of 30 days, and offers nothing else', async () => {
  const days: ExitDay[] = [
    {
      day: '2026-11-21',
      checks: 1440,
      failed: 0,
      latencyMs: 120,
      bytesPerSecond: 5_250_000,
      outages: 0,
      lastFailure: null,
    },
    {
      day: '2026-11-20',
      checks: 40,
      failed: 40,
      latencyMs: null,
      bytesPerSecond: null,
      outages: 1,
      lastFailure: { at: '2026-11-20T10:00:00.000Z', reason: 'upstream-refused:403' },
    },
  ];
  const { screen, user } = await openInventory({
    allowed: ['PROXIES_READ'],
    answers: { 'GET /v1/proxies/admin/exits/*/days': { data: days } },
  });
  await user.click(screen.getByRole('button', { name: 'Actions for 198.18.0.3' }));
  await screen.findByRole('menuitem', { name: 'Checks by day' });
  expect(screen.getAllByRole('menuitem')).toHaveLength(1);
  await user.click(screen.getByRole('menuitem', { name: 'Checks by day' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Checks of 198.18.0.3' }));
  dialog.getByText(
    'UDP: works · DNS through the exit: does not work · names are resolved by the gateway · names are resolved from 203.0.113.53',
  );
  expect(dialog.queryByRole('button', { name: 'Resolve names through the exit' })).toBeNull();
  await dialog.findByText('21.11.2026');
  expect(dialog.getAllByRole('row').map(({ textContent }) => textContent)).toEqual([
    'DayChecksFailedOutagesLatencyFastestLast failure',
    expect.stringMatching(/^21\.11\.20261,44000120\sms42\sMbit\/s–$/),
    expect.stringMatching(/^20\.11\.202640401––20\.11\.2026 .*, the proxy refuses the connection \(403\)$/),
  ]);
});

it('has names of an exit of 0.4.0 resolved through it', async () => {
  const bodies: unknown[] = [];
  const capabilities = { udp: null, ipv6: null, dns: true, resolver: null };
  const proxy = example(1, 'FREE', { ...working, capabilities });
  const old = { ...proxy, exit: { ...proxy.exit, names: 'node' as const } };
  const answers = {
    'GET /v1/proxies/admin': { data: [old, ...proxies.slice(1)], totalPages: 1 },
    'GET /v1/proxies/admin/exits/*/days': { data: [] },
    'PUT /v1/proxies/admin/exits/*/names': ({ body }: { body: unknown }) => {
      bodies.push(body);
      return { data: { id: old.exit.id } };
    },
  };
  const { screen, user } = await openInventory({ answers });
  await user.click(screen.getByRole('button', { name: 'Actions for 198.18.0.1' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Checks by day' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Checks of 198.18.0.1' }));
  dialog.getByText('DNS through the exit: works · names are resolved by the gateway');
  await user.click(dialog.getByRole('button', { name: 'Resolve names through the exit' }));
  await screen.findByText('Names are resolved through the exit, where DNS works through it');
  expect(bodies).toEqual([{ names: 'exit' }]);
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
});

it('says that the check of a file with a thousand errors was stopped', { tags: ['thorough'] }, async () => {
  const errors = [{ line: 2, column: null, problem: 'TOO_LARGE', value: null }];
  const refused = {
    id: null,
    newCount: 0,
    changedCount: 0,
    unchangedCount: 0,
    waitingCount: 0,
    preview: [],
    errors,
    errorCount: 1000,
  };
  const { screen, user } = await openInventory({
    answers: { 'POST /v1/proxies/admin/imports': { data: refused } },
  });
  await user.click(screen.getByRole('button', { name: 'Import' }));
  await user.upload(await screen.findByLabelText('File'), new File(['x'], 'stock.csv', { type: 'text/csv' }));
  await user.click(screen.getByRole('button', { name: 'Check the file' }));
  await screen.findByText('After 1,000 errors the check was stopped. Nothing was imported.');
  expect(screen.getByRole('list', { name: 'Errors by line' }).textContent).toContain('longer than 64 KiB');
});

it('lists two unknown columns of a file by their numbers', { tags: ['thorough'] }, async () => {
  const errors = ['12', '13'].map((value) => ({ line: 1, column: null, problem: 'UNKNOWN_COLUMN', value }));
  const refused = {
    id: null,
    newCount: 0,
    changedCount: 0,
    unchangedCount: 0,
    waitingCount: 0,
    preview: [],
    errors,
    errorCount: 2,
  };
  const { screen, user } = await openInventory({
    answers: { 'POST /v1/proxies/admin/imports': { data: refused } },
  });
  await user.click(screen.getByRole('button', { name: 'Import' }));
  const file = new File(['x'], 'stock.txt', { type: 'text/plain' });
  await user.upload(await screen.findByLabelText('File'), file);
  await user.click(screen.getByRole('button', { name: 'Check the file' }));
  const list = within(await screen.findByRole('list', { name: 'Errors by line' }));
  expect(list.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Line 1: unknown column, by its number (12)',
    'Line 1: unknown column, by its number (13)',
  ]);
});

it('names the countries of the filter, and refuses codes of none', { tags: ['thorough'] }, async () => {
  const { api, screen, user } = await openInventory();
  const field = screen.getByLabelText('Countries (codes)');
  const isFiltered = (country: string) => api.requests.some((request) => request.includes(`country=${country}`));
  await user.type(field, 'de, gb');
  screen.getByText('Germany, United Kingdom');
  await user.clear(field);
  await user.type(field, 'de, uk{Enter}');
  await screen.findByText('Not a country code: UK');
  await user.clear(field);
  await user.type(field, 'de{Enter}');
  await expect.poll(() => isFiltered('DE')).toBe(true);
  expect(isFiltered('UK')).toBe(false);
});

it('changes the limits of one proxy; empty fields are the settings', { tags: ['thorough'] }, async () => {
  const limits = { ports: 'deny 25', tunnels: 20, bytesPerSecond: 312_500 };
  const changes: unknown[] = [];
  const { screen, user } = await openInventory({
    answers: {
      'GET /v1/proxies/admin': { data: proxies.map((proxy) => ({ ...proxy, limits })), totalPages: 1 },
      'PUT /v1/proxies/admin/*/limits': ({ url, body }) => {
        changes.push(body);
        return { data: { id: url.pathname.split('/').at(-2) } };
      },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Actions for 198.18.0.1' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Limits' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Limits of 198.18.0.1' }));
  const field = (name: string) => dialog.getByRole<HTMLInputElement>('textbox', { name });
  expect(['Ports of destinations', 'Concurrent tunnels', 'Speed, Mbit/s'].map((name) => field(name).value)).toEqual([
    'deny 25',
    '20',
    '2.5',
  ]);
  const save = dialog.getByRole('button', { name: 'Save' });
  await user.clear(field('Ports of destinations'));
  await user.type(field('Ports of destinations'), '80');
  dialog.getByText('Begin with allow or deny, then ports and ranges');
  expect(isDisabled(save)).toBe(true);
  await user.clear(field('Ports of destinations'));
  await user.type(field('Ports of destinations'), 'allow 443, 80');
  await user.clear(field('Concurrent tunnels'));
  await user.click(save);
  await screen.findByText('Limits saved');
  expect(changes).toEqual([{ ports: 'allow 80 443', tunnels: null, bytesPerSecond: 312_500 }]);
});

it(
  'stores the link that changes the address of an exit, never shows it again, and removes it',
  { tags: ['thorough'] },
  async () => {
    const changes: unknown[] = [];
    let rotation: { cooldownSeconds: number | null; changesPerHour: number | null } | null = null;
    const { api, screen, user } = await openInventory({
      answers: {
        'GET /v1/proxies/admin': () => ({ data: proxies.map((proxy) => ({ ...proxy, rotation })), totalPages: 1 }),
        'PUT /v1/proxies/admin/exits/*/rotation': ({ body }) => {
          changes.push(body);
          rotation = { cooldownSeconds: 90, changesPerHour: null };
          return { data: { id: proxies[0]!.exit.id } };
        },
      },
    });
    const open = async () => {
      await user.click(await screen.findByRole('button', { name: 'Actions for 198.18.0.1' }));
      await user.click(await screen.findByRole('menuitem', { name: 'IP change link' }));
      return within(await screen.findByRole('dialog', { name: 'Link that changes 198.18.0.1' }));
    };
    const first = await open();
    const save = first.getByRole('button', { name: 'Save' });
    expect(isDisabled(save)).toBe(true);
    await user.type(first.getByRole('textbox', { name: 'Link URL' }), 'farm.test');
    first.getByText('This value is not valid');
    await user.clear(first.getByRole('textbox', { name: 'Link URL' }));
    await user.type(first.getByRole('textbox', { name: 'Link URL' }), 'https://farm.test/r');
    await user.type(first.getByRole('textbox', { name: /^Seconds between/ }), '90');
    await user.click(save);
    await screen.findByText('IP change link saved');
    api.refetch();
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
    const again = await open();
    await again.findByText(/A link is stored/);
    expect(again.getByRole<HTMLInputElement>('textbox', { name: 'Link URL' }).value).toBe('');
    await user.click(again.getByRole('button', { name: 'Remove link' }));
    await expect.poll(() => changes.length).toBe(2);
    const link = { method: 'GET', url: 'https://farm.test/r' };
    expect(changes).toEqual([
      { link, cooldownSeconds: 90, changesPerHour: null },
      { link: null, cooldownSeconds: null, changesPerHour: null },
    ]);
  },
);

it('changes the price of one proxy, and shows the new one as customers see it', async () => {
  const changes: unknown[] = [];
  const { api, screen, user } = await openInventory({
    answers: {
      'GET /v1/proxies/admin/selection': {
        data: { count: 1, fingerprint: 'one', lowestPrice: 0.4, highestPrice: 0.4 },
      },
      'POST /v1/proxies/admin/prices': ({ body }) => {
        changes.push(body);
        return {
          data: { id: proxies[0]!.id, kind: 'PRICE', status: 'WAITING', rowCount: 1, doneCount: 0, newCount: null },
        };
      },
    },
  });
  await user.click(screen.getByRole('button', { name: 'Actions for 198.18.0.1' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Price' }));
  const dialog = within(await screen.findByRole('dialog'));
  await dialog.findByText('1 selected proxy: $0.40 to $0.40');
  const field = dialog.getByLabelText('Change in percent');
  await user.type(field, '-95');
  // While it has the focus.
  dialog.getByText('Minimum value -90%');
  await user.clear(field);
  await user.type(field, '10');
  dialog.getByText('Customers will see $0.22 for the first 50 MB. Now they see $0.20.');
  await user.click(dialog.getByRole('button', { name: 'Change prices (1)' }));
  await screen.findByText('Change scheduled');
  expect(changes).toEqual([
    { filter: { id: [proxies[0]!.id] }, count: 1, fingerprint: 'one', change: { percent: 10 } },
  ]);
  expect(api.requests).toContain(`GET /v1/proxies/admin/selection?id=${proxies[0]!.id}`);
});

it('retires the chosen proxies', async () => {
  const changes: unknown[] = [];
  const { screen, user } = await openInventory({
    answers: {
      'GET /v1/proxies/admin/selection': {
        data: { count: 2, fingerprint: 'two', lowestPrice: 0.4, highestPrice: 0.8 },
      },
      'POST /v1/proxies/admin/retire': ({ body }) => {
        changes.push(body);
        return {
          data: { id: proxies[0]!.id, kind: 'RETIRE', status: 'WAITING', rowCount: 2, doneCount: 0, newCount: null },
        };
      },
    },
  });
  for (const ip of ['198.18.0.1', '198.18.0.3'])
    await user.click(screen.getByRole('checkbox', { name: new RegExp(`${ip.replaceAll('.', '\\.')}$`) }));
  const bar = within(screen.getByRole('region', { name: 'Selected rows' }));
  await user.click(bar.getByRole('button', { name: 'Retire' }));
  const dialog = within(await screen.findByRole('dialog'));
  await dialog.findByText('2 selected proxies: $0.40 to $0.80');
  await user.click(dialog.getByRole('button', { name: 'Retire (2)' }));
  await screen.findByText('Change scheduled');
  expect(changes).toEqual([{ filter: { id: [proxies[0]!.id, proxies[2]!.id] }, count: 2, fingerprint: 'two' }]);
});

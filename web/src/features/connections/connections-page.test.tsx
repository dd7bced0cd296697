import type { ConnectionCheck } from '@cellhop/contract/connection-checks';
import type { Connection, ConnectionAccess } from '@cellhop/contract/connections';
import type { Charge, ConnectionCost } from '@cellhop/contract/receipts';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { catchDownloads } from '../../../test/downloads.ts';
import { exampleCharge, exampleConnection } from '../../../test/example-connections.ts';
import { type Answers, isDisabled, lost, openApp, refusal } from '../../../test/open-app.tsx';

const LIST = 'GET /v1/proxies/connections';
const CHANGE = 'PATCH /v1/proxies/connections/*';
const connection = exampleConnection(1);

const cost: ConnectionCost = {
  createdAt: connection.createdAt,
  until: '2026-11-21T12:10:00.000Z',
  total: 0.4,
  steps: [{ chargedAt: connection.createdAt, cost: 0.4 }],
};
const details: Answers = {
  'GET /v1/proxies/connections/*/access': { data: { allowList: [], collidingNetworks: [], recentAddresses: [] } },
  'GET /v1/proxies/connections/*/charges': { data: [exampleCharge], totalPages: 1 },
  'GET /v1/proxies/connections/*/cost': { data: cost },
};

interface Options {
  path?: string;
  language?: 'en' | 'ru';
  answers?: Answers;
}

/** @param rows the connections of the user, which answers may change */
async function openConnections(rows: Connection[], { path = '', language = 'en', answers = {} }: Options = {}) {
  const app = await openApp(`/connection-history${path}`, {
    language,
    answers: {
      [LIST]: ({ url }) => {
        const id = url.searchParams.get('id');
        return { data: rows.filter((row) => id === null || row.id === id), totalPages: 1 };
      },
      [CHANGE]: ({ url, body }) => {
        const index = rows.findIndex(({ id }) => url.pathname.endsWith(id));
        rows[index] = { ...rows[index]!, ...(body as Partial<Connection>) };
        return { data: rows[index] };
      },
      ...details,
      ...answers,
    },
  });
  await app.screen.findByRole('heading', { level: 1 });
  return app;
}

async function openDetails(rows: Connection[], options: Options = {}) {
  const app = await openConnections(rows, { path: `?connection=${rows[0]!.id}`, ...options });
  return { ...app, dialog: within(await app.screen.findByRole('dialog')) };
}

it('shows open connections as cards with their traffic and cost, which change with the list', async () => {
  const ended = exampleConnection(3, { status: 'DISCONNECT_USER', endReason: 'USER' });
  const rows = [
    exampleConnection(1, { trafficUsed: 12.5 * 1024, label: 'Shop' }),
    exampleConnection(2, { trafficUsed: 60 * 1024, paidFor: 0.48 }),
    ended,
  ];
  const { api, screen, user } = await openConnections(rows);
  const cards = within(await screen.findByRole('region', { name: 'Active now' })).getAllByRole('listitem');
  expect(cards.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/198\.18\.0\.1Shop.*12\.5 MB.*\$0\.40.*37\.5 MB left of the first 50/),
    expect.stringMatching(/198\.18\.0\.2Berlin, Telekom.*60\.0 MB.*\$0\.48.*\$0\.008 for each further MB/),
  ]);
  // The table has the others: none is twice on the page.
  expect(screen.getAllByRole('row')).toHaveLength(1 + 1);
  rows[0] = { ...rows[0]!, trafficUsed: 13 * 1024 };
  api.refetch();
  await within(cards[0]!).findByText('13.0 MB');
  await user.click(within(cards[0]!).getByRole('link', { name: '198.18.0.1' }));
  await screen.findByRole('dialog', { name: 'Connection 198.18.0.1' });
  expect(location.search).toBe(`?connection=${rows[0].id}`);
  await user.keyboard('{Escape}');
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  await user.click(screen.getByRole('checkbox', { name: 'Active only' }));
  await expect.poll(() => screen.getAllByRole('row')).toHaveLength(1 + 3);
  await expect.poll(() => screen.queryByRole('region', { name: 'Active now' })).toBeNull();
});

it(
  'shows some of many open connections as cards, also those that are not on the first page of all',
  { tags: ['thorough'] },
  async () => {
    const active = Array.from({ length: 9 }, (_, index) => exampleConnection(index + 1));
    const { screen, user } = await openConnections([], {
      answers: {
        [LIST]: ({ url }) =>
          url.searchParams.has('active')
            ? { data: active, totalPages: 1 }
            : { data: [exampleConnection(99, { status: 'NOT_WORK', endReason: 'IDLE' })], totalPages: 2 },
      },
    });
    const cards = within(await screen.findByRole('region', { name: 'Active now' }));
    expect(cards.getAllByRole('listitem')).toHaveLength(6);
    await user.click(cards.getByRole('link', { name: 'Show all active' }));
    await expect.poll(() => screen.queryAllByRole('row')).toHaveLength(1 + 9);
  },
);

it('asks before a connection over the return limit is ended without a refund', { tags: ['thorough'] }, async () => {
  const limited = refusal(429, 'RATE_LIMITED');
  limited.headers.set('retry-after', '3540');
  const rows = [connection];
  const { api, screen, user } = await openConnections(rows, {
    answers: { 'POST /v1/proxies/connections/*/disconnect': limited },
  });
  const refused = () => screen.findByRole('dialog', { name: `Disconnect ${connection.ip} without a refund?` });
  const ask = async () => {
    await user.click((await screen.findAllByRole('button', { name: /^Disconnect \d/ }))[0]!);
    const question = within(await screen.findByRole('dialog', { name: `Disconnect ${connection.ip}?` }));
    await user.click(question.getByRole('button', { name: 'Disconnect' }));
    return within(await refused());
  };
  const first = await ask();
  first.getByText(/You can disconnect this one with a refund in 59 minutes/);
  await user.click(first.getByRole('button', { name: 'Cancel' }));
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  expect(api.requests.filter((request) => request.startsWith('POST'))).toHaveLength(1);

  const ended: Connection = { ...connection, status: 'DISCONNECT_USER', endReason: 'USER' };
  api.set({
    'POST /v1/proxies/connections/*/disconnect-without-refund': () => {
      rows[0] = ended;
      return { data: { ...ended, currentBalance: 0.6 } };
    },
  });
  await user.click((await ask()).getByRole('button', { name: 'Disconnect without a refund' }));
  await screen.findByText(`${connection.ip} is disconnected`);
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
});

function refusedFor(reason: string): Connection {
  const refusedAt = new Date(Date.now() - 125_000).toISOString();
  return exampleConnection(1, { dnsPort: null, lastRefusal: { reason, refusedAt } });
}

it.each([
  {
    language: 'en',
    refusals: [
      ['invalid-credentials', 'A program used a wrong password (2 min ago)'],
      ['of-a-newer-gateway', 'A program was refused: of-a-newer-gateway (2 min ago)'],
    ],
    lastRefusal: 'Last refusal',
    noPort: ['DNS port', 'None available'],
    collides: 'Also on the list of another connection: programs there need the password',
  },
  {
    language: 'ru',
    refusals: [['cap-reached', 'Достигнут лимит трафика (2 мин назад)']],
    lastRefusal: 'Последний отказ',
    noPort: ['Порт DNS', 'Нет свободных'],
    collides: 'Есть и в списке другого подключения: программам с этих адресов нужен пароль',
  },
] as const)(
  'says in $language why a program was last refused, that there was no DNS port left, and which entries collide with another connection',
  async ({ language, refusals, lastRefusal, noPort, collides }) => {
    const allowList = ['203.0.113.0/24', '198.51.100.7/32'];
    const access: ConnectionAccess = { allowList, collidingNetworks: ['198.51.100.7/32'], recentAddresses: [] };
    const rows = [refusedFor(refusals[0][0])];
    const { api, dialog } = await openDetails(rows, {
      language,
      answers: { 'GET /v1/proxies/connections/*/access': { data: access } },
    });
    const valueOf = (name: string) => dialog.queryByText(name)?.nextElementSibling?.textContent;
    for (const [reason, text] of refusals) {
      rows[0] = refusedFor(reason);
      api.refetch();
      await expect.poll(() => valueOf(lastRefusal)).toBe(text);
    }
    expect(valueOf(noPort[0])).toBe(noPort[1]);
    expect((await dialog.findByText(collides)).closest('li')?.textContent).toContain('198.51.100.7');
    expect(dialog.getAllByText(collides)).toHaveLength(1);
  },
);

it('shows no refusal if there was none, or if the API knows none', async () => {
  const { dialog } = await openDetails([exampleConnection(1, { lastRefusal: null })]);
  await dialog.findByText('Status');
  expect(dialog.queryByText('Last refusal')).toBeNull();
});

it('says that the connection of a link does not exist', async () => {
  const { screen } = await openConnections([], { path: '?connection=00000000-0000-4000-8000-999999999999' });
  await screen.findByText('There is no such connection in your history');
  await expect.poll(() => location.search).toBe('');
});

/** As the API sends it. */
const file = (text: string) => new Response(text, { headers: { 'content-disposition': 'attachment' } });

it('is labelled, found, exported, and disconnected with others', { tags: ['thorough'] }, async () => {
  const downloads = catchDownloads();
  const rows = [exampleConnection(1), exampleConnection(2)];
  const { api, dialog, fill, screen, user } = await openDetails(rows, {
    answers: {
      'GET /v1/proxies/connections/export': ({ url }) => file(`as ${url.searchParams.get('format')}`),
      'POST /v1/proxies/connections/*/disconnect': ({ url }) => {
        const index = rows.findIndex(({ id }) => url.pathname.includes(id));
        rows[index] = { ...rows[index]!, status: 'DISCONNECT_USER', endReason: 'USER' };
        return { data: { ...rows[index], currentBalance: 1 } };
      },
    },
  });
  await fill(dialog.getByLabelText('Label'), 'Shop');
  await user.keyboard('{Enter}');
  await screen.findByText('Label saved');
  expect(rows[0]?.label).toBe('Shop');
  await user.keyboard('{Escape}');
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  await within(screen.getByRole('region', { name: 'Active now' })).findByText('Shop');
  await fill(screen.getByRole('searchbox'), 'shop');
  await user.keyboard('{Enter}');
  await expect.poll(() => location.search).toBe('?search=shop');
  await expect.poll(() => api.requests.some((request) => request.includes('search=shop'))).toBe(true);

  await user.click(screen.getByRole('button', { name: 'Export' }));
  await user.click(await screen.findByRole('button', { name: 'Download 2 proxies' }));
  await expect.poll(() => downloads[0]?.name).toBe('proxies.txt');
  expect(await downloads[0]?.text()).toBe('as txt');

  await user.click(screen.getByRole('button', { name: 'Disconnect several' }));
  const several = within(await screen.findByRole('dialog', { name: 'Disconnect several' }));
  await user.click(await several.findByLabelText('All: 2 connections'));
  await user.click(several.getByRole('button', { name: 'Disconnect 2' }));
  await screen.findByText('2 connections are disconnected');
  expect(rows.map(({ status }) => status)).toEqual(['DISCONNECT_USER', 'DISCONNECT_USER']);
  // A search may hide some; without one, none is left.
  await fill(screen.getByRole('searchbox'), '');
  await expect.poll(() => screen.queryByRole('button', { name: 'Disconnect several' })).toBeNull();
  expect(screen.getByRole('button', { name: 'Export' })).toBeTruthy();
});

it(
  'has a traffic limit that can be set and removed, and is refused below the used traffic',
  { tags: ['thorough'] },
  async () => {
    const rows = [exampleConnection(1, { trafficUsed: 2100 })];
    const { api, dialog, fill, screen, user } = await openDetails(rows);
    const cap = await dialog.findByLabelText<HTMLInputElement>('Traffic limit, MB');
    const save = within(cap.closest('form')!).getByRole('button', { name: 'Save' });
    expect(isDisabled(save)).toBe(true);
    await fill(cap, '60');
    await user.click(save);
    await screen.findByText('Traffic limit saved');
    expect(rows[0]?.capMegabytes).toBe(60);
    await user.clear(cap);
    await user.click(save);
    await expect.poll(() => rows[0]?.capMegabytes).toBeNull();

    api.set({ [CHANGE]: refusal(409, 'CAP_USED_UP') });
    await fill(cap, '2');
    await user.click(save);
    await dialog.findByText('This connection has already used more than that');
  },
);

it(
  'gets a new password; after a lost response the next click does not change it again',
  { tags: ['thorough'] },
  async () => {
    const rows = [connection];
    const changed = { ...connection, password: 'the-new-password' };
    const keys: (string | null)[] = [];
    const { dialog, screen, user } = await openDetails(rows, {
      answers: {
        'POST /v1/proxies/connections/*/credentials': ({ headers }) => {
          keys.push(headers.get('idempotency-key'));
          if (keys.length === 1) lost();
          rows[0] = changed;
          return { data: changed };
        },
      },
    });
    await user.click(await dialog.findByRole('button', { name: 'Get a new password' }));
    const question = within(await screen.findByRole('dialog', { name: 'Replace the password?' }));
    const confirm = question.getByRole('button', { name: 'Get a new password' });
    await user.click(confirm);
    await screen.findByText(/^No connection to the server/);
    await user.click(confirm);
    await screen.findByText('The connection has a new password');
    await expect.poll(() => screen.queryByRole('dialog', { name: 'Replace the password?' })).toBeNull();
    dialog.getByText('the-new-password');
    expect(keys).toEqual([expect.any(String), keys[0]]);
  },
);

it('needs no password at addresses of its allow-list', { tags: ['thorough'] }, async () => {
  const access: ConnectionAccess = {
    allowList: [],
    collidingNetworks: [],
    recentAddresses: [{ address: '127.0.0.1', usedAt: connection.createdAt }],
  };
  const { api, dialog, fill, user } = await openDetails([connection], {
    answers: { 'GET /v1/proxies/connections/*/access': () => ({ data: access }) },
  });
  const field = await dialog.findByLabelText('IP address or network');
  const add = dialog.getByRole('button', { name: 'Add' });
  api.set({ [CHANGE]: refusal(400, 'VALIDATION') });
  await fill(field, 'example.com');
  await user.click(add);
  await dialog.findByText(/^Enter an IP address, or a network/);
  api.set({ [CHANGE]: refusal(409, 'ADDRESS_NOT_USED') });
  await fill(field, '203.0.113.77');
  await user.click(add);
  await dialog.findByText(/only addresses that used this password/);

  const sent: unknown[] = [];
  api.set({
    [CHANGE]: ({ body }) => {
      sent.push(body);
      const { allowList } = body as { allowList: string[] };
      access.allowList = allowList.map((address) => `${address.replace('/32', '')}/32`);
      return { data: connection };
    },
  });
  await user.click(dialog.getByRole('button', { name: 'Add 127.0.0.1' }));
  await user.click(await dialog.findByRole('button', { name: 'Remove 127.0.0.1' }));
  await expect.poll(() => dialog.queryByRole('button', { name: 'Remove 127.0.0.1' })).toBeNull();
  expect(sent).toEqual([{ allowList: ['127.0.0.1'] }, { allowList: [] }]);
});

it(
  'has a receipt that can be retried, and that shows the end without live events',
  { tags: ['thorough'] },
  async () => {
    const rows = [connection];
    const { api, dialog, user } = await openDetails(rows, {
      answers: { 'GET /v1/proxies/connections/*/cost': refusal(500, 'INTERNAL') },
    });
    await dialog.findByText('The receipt could not be loaded');
    api.set(details);
    await user.click(dialog.getByRole('button', { name: 'Try again' }));
    await dialog.findByRole('row', { name: /Purchase, MB 1–50/ });

    const refund: Charge = { ...exampleCharge, number: 2, kind: 'REFUND', amount: -0.4 };
    api.set({
      'GET /v1/proxies/connections/*/charges': { data: [refund, exampleCharge], totalPages: 1 },
      'GET /v1/proxies/connections/*/cost': { data: { ...cost, total: 0 } },
    });
    rows[0] = { ...connection, status: 'DISCONNECT_USER', endReason: 'USER', refundStatus: 'REFUNDED' };
    // The list is polled, the receipt of an ended connection is not.
    await expect.poll(() => dialog.queryByRole('row', { name: /Refund, MB 1–50/ })).not.toBeNull();
    dialog.getByText('You ended it');
  },
);

it.each([
  ['en', 'New IP for 198.18.0.1', /Waiting for another address/, 'Address now:', /^Again in \d+ s$/],
  ['ru', 'Новый IP для 198.18.0.1', /Ждём другой адрес/, 'Адрес сейчас:', /^Снова через \d+ с$/],
] as const)('orders another address, and shows the one of now (%s)', async (language, name, waiting, now, again) => {
  const rows = [
    exampleConnection(1, { rotation: { state: 'READY', availableAt: null, link: null, everyMinutes: null } }),
  ];
  const { api, screen, user } = await openConnections(rows, {
    language,
    answers: {
      'POST /v1/proxies/connections/*/rotate': () => {
        rows[0] = { ...rows[0]!, rotation: { state: 'ROTATING', availableAt: null, link: null, everyMinutes: null } };
        return { data: { state: 'ROTATING', oldIp: null, newIp: null, seconds: 0 } };
      },
    },
  });
  await user.click(await screen.findByRole('button', { name }));
  await screen.findByText(waiting);
  const availableAt = new Date(Date.now() + 60_000).toISOString();
  rows[0] = {
    ...rows[0]!,
    currentIp: '198.51.100.9',
    rotation: { state: 'COOLDOWN', availableAt, link: null, everyMinutes: null },
  };
  api.refetch();
  await screen.findByText('198.51.100.9');
  screen.getByText(now, { exact: false });
  const button = await screen.findByRole('button', { name });
  expect([isDisabled(button), button.textContent]).toEqual([true, expect.stringMatching(again)]);
});

it('lists the last addresses in the details', { tags: ['thorough'] }, async () => {
  const rotation = { state: 'SAME_IP', availableAt: null, link: null, everyMinutes: null } as const;
  const { dialog } = await openDetails([exampleConnection(1, { rotation })], {
    answers: {
      'GET /v1/proxies/connections/*/addresses': { data: [{ ip: '198.51.100.7', since: connection.createdAt }] },
    },
  });
  await dialog.findByText('198.51.100.7');
  expect(dialog.getByText('The operator assigned the same address again.')).toBeDefined();
});

it('offers no change of the address where the exit has none', async () => {
  const { dialog } = await openDetails([exampleConnection(1)]);
  expect(dialog.queryByRole('button', { name: /^New IP/ })).toBeNull();
});

it('makes and replaces the link for a new IP', { tags: ['thorough'] }, async () => {
  const link = 'http://localhost:3000/v1/rotate/0123456789';
  const rows = [
    exampleConnection(1, { rotation: { state: 'READY', availableAt: null, link: null, everyMinutes: null } }),
  ];
  const { dialog, user } = await openDetails(rows, {
    answers: {
      'GET /v1/proxies/connections/*/addresses': { data: [] },
      'POST /v1/proxies/connections/*/rotation-link': () => {
        rows[0] = { ...rows[0]!, rotation: { state: 'READY', availableAt: null, link, everyMinutes: null } };
        return { data: { link } };
      },
    },
  });
  await user.click(await dialog.findByRole('button', { name: 'Create link' }));
  await dialog.findByText(link);
  expect(isDisabled(await dialog.findByRole('button', { name: 'Replace link' }))).toBe(false);
});

it('changes the address by a timer of 2 to 1440 minutes', { tags: ['thorough'] }, async () => {
  const rotation = { state: 'READY', availableAt: null, link: null, everyMinutes: null } as const;
  const { api, dialog, user } = await openDetails([exampleConnection(1, { rotation })], {
    answers: { 'GET /v1/proxies/connections/*/addresses': { data: [] } },
  });
  const field = await dialog.findByRole('textbox', { name: 'Change the IP every … minutes' });
  await user.type(field, '1');
  dialog.getByText('Enter a whole number from 2 to 1440, or leave it empty');
  const save = dialog.getByRole('button', { name: 'Save timer' });
  expect(isDisabled(save)).toBe(true);
  await user.type(field, '0');
  await user.click(save);
  await expect.poll(() => api.requests.filter((request) => request.startsWith('PATCH'))).toHaveLength(1);
});

it('shows by a test where the proxy leaves, and what is not as it is sold', async () => {
  const { ip } = connection;
  const check: ConnectionCheck = {
    ...connection,
    asn: 3320,
    state: 'OK',
    checkedAt: connection.createdAt,
    address: ip,
    latencyMs: 40,
    seenPlace: { countryCode: 'SE', isp: 'Deutsche Telekom AG', asn: 3320 },
    udp: true,
    ipv6: false,
    resolver: { address: '203.0.113.53', countryCode: 'SE', isCountryAsSold: false },
    isAsSold: { address: true, country: false, operator: true },
  };
  const answers = { 'POST /v1/proxies/connections/*/check': { data: check } };
  const { dialog, user } = await openDetails([connection], { answers });
  await user.click(dialog.getByRole('button', { name: 'Test' }));
  const result = (await dialog.findByText('It works, but not as it is sold.')).closest('output')!;
  const seen = [...result.querySelectorAll('li')].map(({ textContent }) => textContent);
  expect(seen).toEqual([
    `${ip}as sold`,
    'Country: Swedensold as Germany',
    'Operator: Deutsche Telekom AG · AS3320as sold',
    'DNS server: 203.0.113.53, Swedensold as Germany',
    'UDP: works',
    'IPv6: does not work',
  ]);
});

it.each([
  [true, ['HTTPS URL']],
  [false, []],
  // An API of 0.4.0.
  [undefined, []],
])('offers the format of https proxies where the gateway serves them: %s', async (isTlsServed, offered) => {
  const rows = [exampleConnection(1, isTlsServed === undefined ? {} : { isTlsServed })];
  const { api, dialog, screen, user } = await openDetails(rows);
  const format = dialog.getByRole<HTMLInputElement>('combobox', { name: 'Format' });
  await user.click(format);
  const options = await screen.findAllByRole('option');
  expect(options.map(({ textContent }) => textContent)).toContain('HTTP URL');
  dialog.getByText(isTlsServed ? /^SOCKS5, HTTP and HTTPS use/ : /^SOCKS5 and HTTP use/);
  const https = options.filter(({ textContent }) => textContent === 'HTTPS URL');
  expect(https.map(({ textContent }) => textContent)).toEqual(offered);
  if (https[0] === undefined) return;
  await user.click(https[0]);
  const { username, password } = connection;
  await dialog.findByText(`https://${username}:${password}@proxy.example.com:1080`);
  // The certificate has expired.
  rows[0] = { ...rows[0]!, isTlsServed: false };
  api.refetch();
  await dialog.findByText(`${username}:${password}@proxy.example.com:1080`);
  expect(format.value).not.toBe('HTTPS URL');
});

import type { ConnectBody, ConnectionWithBalance } from '@cellhop/contract/connections';
import { within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { issued } from '../../../test/tokens.ts';
import { exampleConnection, exampleProxy } from '../../../test/example-connections.ts';
import { type Answers, clickTwice, customer, isDisabled, lost, openApp, refusal } from '../../../test/open-app.tsx';

const CATALOGUE = 'GET /v1/proxies';
const BUY = 'POST /v1/proxies/connections';
const proxy = exampleProxy(1);
const other = exampleProxy(2, { price: 1.2 });
const bought: ConnectionWithBalance = { ...exampleConnection(1), currentBalance: 0.6 };
const rich = { data: { ...customer, balance: 1 } };

async function openOffer(answers: Answers = {}) {
  const app = await openApp('/proxies', {
    answers: {
      'GET /v1/profile': rich,
      [CATALOGUE]: { data: [proxy, other] },
      'GET /v1/proxies/filter': refusal(500, 'INTERNAL'),
      ...answers,
    },
  });
  const { screen, user } = app;
  const offer = await screen.findByRole('button', { name: `Buy ${proxy.ip}` });
  await user.click(offer);
  const dialog = within(await screen.findByRole('dialog', { name: `Proxy ${proxy.ip}` }));
  const buy = await dialog.findByRole('button', { name: /^Buy for/ });
  return { ...app, offer, dialog, buy };
}

it('shows the autonomous system of the operator, and nothing where it is unknown', async () => {
  const { dialog, screen, user } = await openOffer({ [CATALOGUE]: { data: [proxy, { ...other, asn: null }] } });
  expect(dialog.getByText('ASN').nextSibling?.textContent).toBe('AS3320');
  await user.keyboard('{Escape}');
  await user.click(await screen.findByRole('button', { name: `Buy ${other.ip}` }));
  const unknown = within(await screen.findByRole('dialog', { name: `Proxy ${other.ip}` }));
  await unknown.findByText('ISP');
  expect(unknown.queryByText('ASN')).toBeNull();
});

it('says how the shop has set the refund and the end without traffic', async () => {
  const { dialog } = await openOffer();
  const rules = dialog.getAllByRole('listitem').map(({ textContent }) => textContent?.replaceAll('\u00A0', ' '));
  expect(rules).toContain('After 30 minutes without traffic the proxy is disconnected automatically.');
  expect(rules.at(-1)).toMatch(/^If the connection ends within 30 minutes, you pay only for the used traffic/);
});

it('goes away when another user was faster, and so does the proxy', { tags: ['thorough'] }, async () => {
  const { api, buy, screen, user } = await openOffer();
  api.set({ [BUY]: refusal(404, 'PROXY_NOT_FOUND'), [CATALOGUE]: { data: [other] } });
  await user.click(buy);
  await screen.findByText('Proxy not found or bought by another user');
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  await expect.poll(() => screen.queryByRole('button', { name: `Buy ${proxy.ip}` })).toBeNull();
});

it('shows a changed price, and the next click buys at it', async () => {
  const prices: number[] = [];
  const { api, buy, dialog, offer, screen, user } = await openOffer({
    [BUY]: ({ body }) => {
      prices.push((body as ConnectBody).price);
      return prices.length === 1 ? refusal(409, 'PRICE_CHANGED') : { data: bought };
    },
  });
  expect(buy.textContent).toBe('Buy for $0.40');
  api.set({ [CATALOGUE]: { data: [{ ...proxy, price: 0.9 }, other] } });
  await user.click(buy);
  await expect.poll(() => buy.textContent).toBe('Buy for $0.45');
  expect((await dialog.findByRole('alert')).textContent).toBe('The price has changed: it was $0.40, and is now $0.45.');
  await user.click(buy);
  await dialog.findByText(/^The proxy is yours\./);
  expect(prices).toEqual([0.8, 0.9]);
  await user.keyboard('{Escape}');
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  await expect.poll(() => document.activeElement).toBe(offer);
});

it('is operated by keyboard: buys, moves the focus to the result, copies, and closes', async () => {
  const { buy, dialog, screen, user } = await openOffer({ [BUY]: { data: bought } });
  buy.focus();
  await user.keyboard('{Enter}');
  const result = await dialog.findByText(/^The proxy is yours\./);
  expect(document.activeElement).toBe(result);
  expect(result.tagName).toBe('OUTPUT');
  await user.tab();
  expect(document.activeElement).toBe(dialog.getByRole('combobox', { name: 'Format' }));
  await user.tab();
  expect(document.activeElement).toBe(dialog.getByRole('button', { name: 'Copy' }));
  const copied = () => dialog.queryAllByRole('status').filter(({ textContent }) => textContent === 'Copied');
  await user.keyboard('{Enter}');
  await expect.poll(copied).toHaveLength(1);
  expect(await navigator.clipboard.readText()).toBe(
    `${bought.username}:${bought.password}@${bought.host}:${bought.port}`,
  );
  await expect.poll(copied).toHaveLength(0);
  await user.keyboard('{Escape}');
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
});

it('shows the maximum possible charge of a traffic limit, and sends the traffic limit', async () => {
  let sent: unknown;
  const { buy, dialog, fill, user } = await openOffer({
    [BUY]: ({ body }) => {
      sent = body;
      return { data: { ...bought, capMegabytes: 3 } };
    },
  });
  dialog.getByText('Then $0.008 per MB until you disconnect, at most your balance');
  const cap = dialog.getByLabelText('Traffic limit, MB');
  await fill(cap, '3.5');
  await dialog.findByText('Enter a whole number like 1,234');
  expect(isDisabled(buy)).toBe(true);
  await fill(cap, '3');
  await dialog.findByText('Maximum possible charge: $0.40');
  await user.click(buy);
  await dialog.findByText(/^The proxy is yours\./);
  expect(sent).toEqual({ id: proxy.id, price: proxy.price, capMegabytes: 3 });
});

it.each([
  ['Top up the balance', 'dialog'],
  ['Top up', 'toast'],
])('links without money to the form for a new invoice: %s, in the %s', { tags: ['thorough'] }, async (name) => {
  const { buy, screen, user } = await openOffer({
    [BUY]: refusal(402, 'SMALL_BALANCE'),
    'GET /v1/payments/invoices': { data: [], totalPages: 1 },
    'GET /v1/payments/currencies': { data: [] },
  });
  await user.click(buy);
  await user.click(await screen.findByRole('link', { name }));
  await screen.findByRole('dialog', { name: 'New invoice' });
  expect(location.pathname + location.search).toBe('/payments/invoices?create=true');
});

it('shows the access details, also without a DNS port', async () => {
  const { buy, dialog, user } = await openOffer({ [BUY]: { data: { ...bought, dnsPort: null } } });
  await user.click(buy);
  const port = await dialog.findByText('DNS port');
  expect(port.nextElementSibling?.textContent).toBe('None available');
  dialog.getByText('SOCKS5, HTTP, QUIC');
  expect(dialog.queryByText(/^dig @/)).toBeNull();
});

describe('what a bought proxy is used with', () => {
  const CHECK = 'POST /v1/proxies/connections/*/check';
  const { ip, countryCode, region, city, zip, isp, connectionType } = bought;
  const place = { ip, countryCode, region, city, zip, isp, connectionType };
  const running = { ...place, state: 'RUNNING', checkedAt: null, address: null, latencyMs: null };
  const works = { ...place, state: 'OK', checkedAt: new Date().toISOString(), address: '198.51.100.7', latencyMs: 55 };

  async function buyIt(answers: Answers = {}) {
    const app = await openOffer({ [BUY]: { data: bought }, ...answers });
    await app.user.click(app.buy);
    await app.dialog.findByText(/^The proxy is yours\./);
    return app;
  }

  it('is one string in a chosen format', { tags: ['thorough'] }, async () => {
    const { dialog, screen, user } = await buyIt();
    const { username, password, host, port } = bought;
    dialog.getByText(`${username}:${password}@${host}:${port}`);
    await user.click(dialog.getByRole('combobox', { name: 'Format' }));
    await user.click(await screen.findByRole('option', { name: 'SOCKS5 URL' }));
    dialog.getByText(`socks5://${username}:${password}@${host}:${port}`);
    await user.click(dialog.getByRole('combobox', { name: 'Format' }));
    await user.click(await screen.findByRole('option', { name: 'curl' }));
    await user.click(dialog.getByRole('button', { name: 'Copy' }));
    expect(await navigator.clipboard.readText()).toMatch(/^curl -x socks5h:/);
  });

  it('is tested at a press: the answer is waited for, and names address, latency, place and operator', async () => {
    const { api, dialog, user } = await buyIt({ [CHECK]: { data: running } });
    await user.click(dialog.getByRole('button', { name: 'Test' }));
    await dialog.findByText(/^The gateway is testing the proxy/);
    api.set({ [CHECK]: { data: works } });
    const found = await dialog.findByText('198.51.100.7');
    const result = within(found.closest('output')!);
    expect(result.getByText('It works.').parentElement?.textContent).toMatch(/Responded in 55\s?ms/);
    result.getByText('Berlin · Telekom');
  });

  it('says what to do after a test without an answer of the internet', { tags: ['thorough'] }, async () => {
    const { api, dialog, user } = await buyIt();
    for (const [state, text] of [
      ['FAILED', /^The test did not get through this proxy/],
      ['INCONCLUSIVE', /^The test could not run just now/],
      ['UNANSWERED', /^The gateway did not respond/],
    ] as const) {
      api.set({ [CHECK]: { data: { ...running, state } } });
      await user.click(dialog.getByRole('button', { name: 'Test' }));
      expect((await dialog.findByText(text)).closest('output')).not.toBeNull();
    }
  });

  it('can be tested again after the limit of an hour refused a test', { tags: ['thorough'] }, async () => {
    const { dialog, screen, user } = await buyIt({ [CHECK]: refusal(429, 'RATE_LIMITED') });
    const test = dialog.getByRole('button', { name: 'Test' });
    await user.click(test);
    await screen.findByText(/^Too many/);
    await expect.poll(() => isDisabled(test)).toBe(false);
  });

  it('has a code and links for a phone', { tags: ['thorough'] }, async () => {
    const { dialog, user } = await buyIt();
    await dialog.findByTitle('QR code for a phone');
    const telegram = dialog.getByRole('link', { name: 'Open in Telegram' });
    expect(telegram.getAttribute('href')).toMatch(
      /^https:\/\/t\.me\/socks\?server=proxy\.example\.com&port=1080&user=/,
    );
    await user.click(dialog.getByText('SOCKS5', { selector: 'span' }));
    expect(dialog.getByRole('link', { name: 'Open in a proxy app' }).getAttribute('href')).toMatch(/^socks5:\/\//);
  });
});

it('buys once for a double click, and repeats a lost purchase with the same key', async () => {
  const keys: (string | null)[] = [];
  const { buy, dialog, screen } = await openOffer({
    [BUY]: ({ headers }) => {
      keys.push(headers.get('idempotency-key'));
      return keys.length === 1 ? lost() : { data: bought };
    },
  });
  clickTwice(buy);
  await screen.findByText(/^No connection to the server/);
  clickTwice(buy);
  await dialog.findByText(/^The proxy is yours\./);
  expect(keys).toEqual([expect.any(String), keys[0]]);
});

it(
  'opens again after sign-in interrupted the purchase, and does not after a reload once it is bought',
  { tags: ['thorough'] },
  async () => {
    const { api, fill, screen, user } = await openOffer({
      [BUY]: refusal(401, 'UNAUTHORIZED'),
      'POST /v1/auth/sign-in': {
        data: { ...issued('later', 1), deviceToken: 'device', profile: customer },
      },
    });
    expect(location.search).toBe(`?proxy=${proxy.id}`);
    history.back();
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
    history.forward();
    const dialog = async () => within(await screen.findByRole('dialog', { name: `Proxy ${proxy.ip}` }));
    const buy = async () => user.click(await (await dialog()).findByRole('button', { name: /^Buy for/ }));

    await buy();
    await screen.findByText('Please sign in to continue where you left off.');
    expect(location.search).toMatch(/^\?next=/);
    await fill(screen.getByLabelText('Email'), customer.email);
    await fill(screen.getByLabelText('Password'), 'a long enough password');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    await dialog();
    api.set({ [BUY]: { data: bought } });
    await buy();
    await (await dialog()).findByText(/^The proxy is yours\./);
    screen.getByText(/^dig @\S+ -p \d+ example\.com$/);
    // A reload must not look for it in the catalogue.
    expect(location.pathname + location.search).toBe('/proxies');
  },
);

it.each([
  ['deny 25', 'all but 25'],
  ['allow 80 443 8000-8999', 'only 80, 443, 8000-8999'],
])('shows what is limited: %s', async (ports, text) => {
  const limits = { ports, tunnels: 20, bytesPerSecond: 312_500 };
  const { dialog } = await openOffer({ [CATALOGUE]: { data: [{ ...proxy, limits }] } });
  const value = (label: string) => dialog.getByText(label).nextElementSibling?.textContent;
  expect([value('Ports'), value('Concurrent tunnels'), value('Speed')]).toEqual([text, '20', 'up to 2.5 Mbit/s']);
});

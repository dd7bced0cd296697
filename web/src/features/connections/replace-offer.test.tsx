import type { ConnectionCheck } from '@cellhop/contract/connection-checks';
import type { Replacement } from '@cellhop/contract/replacements';
import { within } from '@testing-library/react';
import { expect, it, onTestFinished, vi } from 'vitest';
import { exampleConnection } from '../../../test/example-connections.ts';
import { type Answers, openApp, refusal } from '../../../test/open-app.tsx';

const REPLACE = 'POST /v1/proxies/connections/*/replace';
const used = exampleConnection(1, { trafficUsed: 2.5 * 1024, createdAt: '2026-11-20T12:00:00.000Z' });
const next = exampleConnection(2);
const { ip, countryCode, region, city, zip, isp, asn, connectionType } = used;
const failed: ConnectionCheck = {
  ip,
  countryCode,
  region,
  city,
  zip,
  isp,
  asn,
  connectionType,
  state: 'FAILED',
  checkedAt: new Date().toISOString(),
  address: null,
  latencyMs: null,
  isReplaceable: true,
};

/** Opens the cards of the active connections, and lets one be tested. */
async function test(check: ConnectionCheck, answers: Answers = {}, language: 'en' | 'ru' = 'en') {
  const rows = [used];
  const app = await openApp('/connection-history', {
    language,
    answers: {
      'GET /v1/proxies/connections': ({ url }) => {
        const id = url.searchParams.get('id');
        return { data: rows.filter((row) => id === null || row.id === id), totalPages: 1 };
      },
      'POST /v1/proxies/connections/*/check': { data: check },
      'GET /v1/proxies/connections/*/access': { data: { allowList: [], collidingNetworks: [], recentAddresses: [] } },
      'GET /v1/proxies/connections/*/charges': { data: [], totalPages: 0 },
      'GET /v1/proxies/connections/*/cost': {
        data: { createdAt: next.createdAt, until: next.createdAt, total: 0.4, steps: [] },
      },
      ...answers,
    },
  });
  await app.user.click(
    await app.screen.findByRole('button', { name: language === 'en' ? `Test ${ip}` : `Проверить ${ip}` }),
  );
  return { ...app, rows };
}

const answer = (changes: Partial<Replacement> = {}): { data: Replacement } => ({
  data: { isReplaced: true, refund: 0.376, connection: next, currentBalance: 1, ...changes },
});

it('is offered after a failed test, says what it costs, and shows the new connection', async () => {
  const { screen, user, rows, api } = await test(failed, {
    [REPLACE]: () => {
      rows.splice(0, 1, next, { ...used, status: 'DISCONNECT_USER', endReason: 'USER' });
      return answer();
    },
  });
  await user.click(await screen.findByRole('button', { name: `Replace ${ip}` }));
  const dialog = within(await screen.findByRole('dialog', { name: `Replace ${ip}?` }));
  dialog.getByText(
    /lose their connection at once.* You get \$0\.38 back for 47 unused MB\. .*Germany, Telekom.* for \$0\.40 for its first 50 MB/,
  );
  expect(api.requests.filter((request) => request.endsWith('/replace'))).toEqual([]);
  await user.click(dialog.getByRole('button', { name: 'Replace' }));
  await screen.findByText(`Replaced by ${next.ip}. Use its new username and password`);
  await screen.findByRole('dialog', { name: `Connection ${next.ip}` });
  expect(location.search).toBe(`?connection=${next.id}`);
});

it('leaves everything as it is if no proxy is free', async () => {
  const { screen, user } = await test(failed, { [REPLACE]: refusal(404, 'PROXY_NOT_FOUND') });
  await user.click(await screen.findByRole('button', { name: `Replace ${ip}` }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Replace' }));
  await screen.findByText('No other proxy of this country, operator and price is free right now. Nothing has changed');
  expect(location.search).toBe('');
});

it('says so if the last one was sold meanwhile', async () => {
  const { screen, user } = await test(failed, { [REPLACE]: answer({ isReplaced: false, connection: used }) });
  await user.click(await screen.findByRole('button', { name: `Replace ${ip}` }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Replace' }));
  await screen.findByText(`${ip} has been disconnected without a replacement. The notification says why`);
  expect(location.search).toBe('');
});

it('is not offered where the proxy is as sold', async () => {
  const { screen } = await test({ ...failed, state: 'OK', isReplaceable: false });
  await screen.findByText('It works.');
  expect(screen.queryByRole('button', { name: `Replace ${ip}` })).toBeNull();
});

it.each([
  { seconds: 0, text: 'Tested just now' },
  { seconds: 45, text: 'Tested 50 s ago' },
])('a test of $seconds s ago says when it was made', async ({ seconds, text }) => {
  // The clock of screens is rounded up to ten seconds.
  vi.useFakeTimers({ now: new Date('2026-11-20T12:00:45.000Z'), toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const checkedAt = new Date(Date.now() - seconds * 1000).toISOString();
  const { screen } = await test({ ...failed, state: 'OK', isReplaceable: false, checkedAt });
  expect(await screen.findByText(text)).toBeDefined();
});

it('is not offered by an API of the last release', async () => {
  const { isReplaceable: _, ...old } = failed;
  const { screen } = await test(old);
  await screen.findByText(/did not get through/);
  expect(screen.queryByRole('button', { name: `Replace ${ip}` })).toBeNull();
});

it('is offered in Russian', async () => {
  const { screen, user } = await test(failed, {}, 'ru');
  await user.click(await screen.findByRole('button', { name: `Заменить ${ip}` }));
  const dialog = within(await screen.findByRole('dialog', { name: `Заменить ${ip}?` }));
  const text = dialog.getByText(/На баланс вернётся/).textContent;
  expect(text).toMatch(/На баланс вернётся .*0,38.* 47 МБ\. .*Германия, Telekom.*0,40/);
});

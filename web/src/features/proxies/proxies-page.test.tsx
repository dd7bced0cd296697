import type { ProxyFilter } from '@cellhop/contract/proxies';
import { act, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { exampleProxy } from '../../../test/example-connections.ts';
import { type Answers, openApp, refusal } from '../../../test/open-app.tsx';
import { wrapTexts } from '../../../test/translator.ts';

const catalogue: Answers = {
  'GET /v1/proxies': { data: [], totalPages: 1 },
  'GET /v1/proxies/filter': refusal(500, 'INTERNAL'),
  'GET /v1/proxies/facets': refusal(500, 'INTERNAL'),
};
const proxies = Array.from({ length: 50 }, (_, index) => exampleProxy(index + 1));
const counts: ProxyFilter = {
  country: { DE: 40, FR: 10, PT: 3 },
  region: { Berlin: 40 },
  city: { Berlin: 30, Potsdam: 10, Paris: 10 },
  zip: { '10115': 40 },
  isp: { Telekom: 40 },
  connectionType: { LTE: 53 },
};
const full: Answers = {
  'GET /v1/proxies': { data: proxies },
  'GET /v1/proxies/filter': { data: counts },
  'GET /v1/proxies/facets': { data: { counts, truncated: [] } },
};

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

async function openCatalogue(path: string, answers: Answers = {}) {
  const app = await openApp(path, { answers: { ...full, ...answers } });
  const { screen, user } = app;
  const form = within(await screen.findByRole('form', { name: 'Filter' }));
  const rows = () =>
    within(screen.getByRole('region', { name: 'Available proxies' }))
      .getAllByRole('row')
      .map(({ textContent }) => textContent.replaceAll('\u{A0}', ' '));
  const field = (name: string) => form.getByRole<HTMLInputElement>('combobox', { name });
  const open = async (name: string) => {
    await user.click(field(name));
    const options = within(await screen.findByRole('listbox', { name }));
    return (await options.findAllByRole('option')) as [HTMLElement, ...HTMLElement[]];
  };
  const find = () => user.click(form.getByRole('button', { name: 'Find' }));
  return { ...app, form, rows, field, open, find };
}

it('shows placeholders, failures with a retry each, and the limit', async () => {
  let respond!: () => void;
  const responded = new Promise<Response>((resolve) => {
    respond = () => resolve(refusal(500, 'INTERNAL'));
  });
  const { api, rows, screen, user } = await openCatalogue('/proxies', {
    'GET /v1/proxies': () => responded,
    'GET /v1/proxies/filter': () => responded,
  });
  expect(rows()).toHaveLength(1 + 5);
  expect(screen.getByRole('form', { name: 'Filter' }).getAttribute('aria-busy')).toBe('true');
  respond();
  await screen.findByText('Failed loaded proxy filters');
  await screen.findByText('Failed loaded proxies');
  api.set(full);
  for (const alert of screen.getAllByRole('alert')) await user.click(within(alert).getByRole('button'));
  await expect.poll(() => screen.queryByText(/The 50 cheapest/)).not.toBeNull();
  await expect.poll(() => rows().length).toBe(1 + 50);
  screen.getByText(/^Only the first 50 results are shown\./);
  expect(rows()[0]).toBe('ActionPrice, 50 MBIP addressCountryRegionCityZIPISPType');
});

it('offers the values that match the other filters, with counts; a choice without matches shows 0', async () => {
  const { api, find, form, open, rows, screen, user } = await openCatalogue('/proxies', {
    'GET /v1/proxies/facets': ({ url }) => {
      const city = url.searchParams.get('country') === 'DE' ? { Berlin: 30, Potsdam: 10 } : { Paris: 10 };
      return { data: { counts: { ...counts, country: { DE: 30 }, city }, truncated: [] } };
    },
    'GET /v1/proxies': ({ url }) => ({ data: proxies.slice(0, url.searchParams.has('city') ? 30 : 50) }),
  });
  await user.click((await open('Country')).find(({ textContent }) => textContent === 'Germany40')!);
  await user.keyboard('{Escape}');
  const cities = await open('City');
  expect(cities.map(({ textContent }) => textContent)).toEqual(['Berlin30', 'Potsdam10']);
  await user.click(cities[0]);
  await user.keyboard('{Escape}');
  await find();
  await expect.poll(() => rows().length).toBe(1 + 30);
  expect(api.requests).toContain('GET /v1/proxies?country=DE&city=Berlin');
  expect(location.search).toBe('?country=DE&city=Berlin');
  form.getByText('Berlin');
  expect(screen.queryByText(/^Only the first/)).toBeNull();
});

it('survives the translator of a browser', { tags: ['thorough'] }, async () => {
  const { find, form, open, rows, user } = await openCatalogue('/proxies');
  await expect.poll(() => rows().length).toBe(1 + 50);
  const options = await open('Country');
  wrapTexts();
  await user.click(options[0]);
  await user.keyboard('{Escape}');
  wrapTexts();
  await find();
  await expect.poll(() => location.search).toBe('?country=FR');
  wrapTexts();
  await user.click(form.getByRole('button', { name: 'Reset' }));
  await expect.poll(() => rows().length).toBe(1 + 50);
});

it('shows a choice without matches as such, and a reset brings all proxies back', { tags: ['thorough'] }, async () => {
  const { find, form, open, rows, screen, user } = await openCatalogue('/proxies?country=FR&city=Berlin', {
    'GET /v1/proxies/facets': { data: { counts: { ...counts, city: { Paris: 10 } }, truncated: [] } },
    'GET /v1/proxies': ({ url }) => ({ data: url.search === '' ? proxies : [] }),
  });
  await screen.findByText(/^No available proxies match these filters/);
  await form.findByText('Berlin (0)');
  await user.click(form.getByRole('button', { name: 'Reset' }));
  await expect.poll(() => location.search).toBe('');
  await expect.poll(() => rows().length).toBe(1 + 50);

  const options = await open('Country');
  // The second click comes before React has rendered the first.
  act(() => options.slice(0, 2).forEach((option) => option.click()));
  await user.keyboard('{Escape}');
  await find();
  await expect.poll(() => location.search).toBe('?country=FR&country=DE');
  await screen.findByText(/^No available proxies match these filters/);
  history.back();
  await expect.poll(() => rows().length).toBe(1 + 50);
});

it('keeps the focus on Find, and the filters through a reload', async () => {
  const { find, form, rows } = await openCatalogue('/proxies?country=FR&country=DE');
  await form.findByText('France');
  form.getByText('Germany');
  await find();
  expect(document.activeElement).toBe(form.getByRole('button', { name: 'Find' }));
  await expect.poll(() => rows().length).toBe(1 + 50);
});

it('says that the proxy of a link is sold', async () => {
  const { screen } = await openCatalogue('/proxies?proxy=00000000-0000-4000-8000-999999999999');
  await screen.findByText('Proxy not found or bought by another user');
  await expect.poll(() => location.search).toBe('');
});

it('does not send unknown parameters of the address', async () => {
  const { api, screen } = await openApp('/proxies?foo=1', { answers: catalogue });
  await screen.findByText('Failed loaded proxy filters');
  expect(api.requests.filter((request) => request.startsWith('GET /v1/proxies') && request.includes('foo'))).toEqual(
    [],
  );
  expect(api.requests).toContain('GET /v1/proxies');
  // The only crumb would be the page itself.
  expect(screen.queryByRole('navigation', { name: 'Breadcrumbs' })).toBeNull();
});

it('explains at sign-in that a session has ended during use', async () => {
  const { api, screen, user } = await openApp('/proxies', {
    answers: { ...catalogue, 'GET /v1/payments/invoices': refusal(401, 'UNAUTHORIZED') },
  });
  await screen.findByRole('heading', { level: 1, name: 'Proxies' });
  api.set({ 'GET /v1/payments/currencies': { data: [] } });
  await user.click(screen.getByRole('link', { name: 'Payments' }));
  await screen.findByText('Your session has ended. Please sign in again');
  expect(location.pathname).toBe('/sign-in');
});

it('says when a request last passed through the exit of a proxy, and how fast', async () => {
  const { rows, screen, user } = await openCatalogue('/proxies', {
    'GET /v1/proxies': {
      data: [
        exampleProxy(1, { checkedAt: ago(25), latencyMs: 120 }),
        exampleProxy(2, { checkedAt: ago(200), latencyMs: null }),
        exampleProxy(3, { checkedAt: null, latencyMs: null }),
      ],
    },
  });
  await expect.poll(() => rows().length).toBe(1 + 3);
  const [, fast, slow, unknown] = rows();
  expect(fast).toMatch(/checked (?:2[5-9]|3\d) s ago, 120\sms/);
  expect(slow).toContain('checked 3 min ago');
  expect(unknown).not.toContain('checked');
  await user.click(screen.getByRole('button', { name: 'Buy 198.18.0.1' }));
  const dialog = within(await screen.findByRole('dialog'));
  await dialog.findByText('120 ms');
  dialog.getByText(/^\d+ s ago$/);
});

it('says which proxies change their address on demand', async () => {
  const { rows, screen, user } = await openCatalogue('/proxies', {
    'GET /v1/proxies': {
      data: [exampleProxy(1, { rotates: true }), exampleProxy(2, { rotates: false }), exampleProxy(3)],
    },
  });
  await expect.poll(() => rows().length).toBe(1 + 3);
  expect(rows().map((text) => text?.includes('new IP on demand'))).toEqual([false, true, false, false]);
  await user.click(screen.getByRole('button', { name: 'Buy 198.18.0.1' }));
  const dialog = within(await screen.findByRole('dialog'));
  await dialog.findByText('Change of the IP address');
});

it('offers the keyboard a way past the filter to the first proxy', { tags: ['thorough'] }, async () => {
  const { screen, user } = await openCatalogue('/proxies');
  const [first] = await screen.findAllByRole('button', { name: /^Buy / });
  screen.getByRole('main').focus();
  await user.tab();
  expect(document.activeElement?.textContent).toBe('Skip to the first proxy');
  await user.keyboard('{Enter}');
  expect(document.activeElement).toBe(first);
});

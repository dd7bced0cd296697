import { currencies } from '@cellhop/contract/invoices.values';
import { render, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import en from '../i18n/locales/en/landing.json';
import enDetails from '../i18n/locales/en/landingDetails.json';
import ru from '../i18n/locales/ru/landing.json';
import ruDetails from '../i18n/locales/ru/landingDetails.json';
import { startLanding } from './start-landing.tsx';

it('lists the coins of this installation, and no others', async () => {
  const data = {
    brandName: 'Cellhop',
    contactEmail: null,
    refundMinutes: 30,
    currencies: ['BTC', 'USDT_ERC20', 'USDT_BSC'],
  };
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ data })));
  const root = document.createElement('div');
  document.body.append(root);
  await startLanding(root);
  expect(await screen.findByText(/You can pay in BTC and USDT\./)).toBeTruthy();
  vi.unstubAllGlobals();
});

it.each([
  [{ code: 'WELCOME', credit: 1 }, '/sign-up?rc=WELCOME', 'Start with $1 free'],
  [{ code: 'WELCOME', credit: 2.5 }, '/sign-up?rc=WELCOME', 'Start with $2.50 free'],
  [{ code: 'WELCOME', credit: null }, '/sign-up?rc=WELCOME', 'Sign up'],
  [null, '/sign-up', 'Sign up'],
  // An API of the previous release.
  [undefined, '/sign-up', 'Sign up'],
])('the way in with the offer %j is %s', async (offer, path, text) => {
  vi.resetModules();
  vi.stubGlobal('fetch', () =>
    Promise.resolve(Response.json({ data: { brandName: 'Cellhop', currencies: [], offer } })),
  );
  const { startTranslations } = await import('../i18n/setup.ts');
  const { loadSettings } = await import('../data/settings.ts');
  const { SignUpActions } = await import('../features/landing/sign-up-actions.tsx');
  await Promise.all([startTranslations('landing'), loadSettings()]);
  const { container, unmount } = render(<SignUpActions>{null}</SignUpActions>);
  expect(within(container).getByRole('link', { name: text }).getAttribute('href')).toBe(path);
  unmount();
  vi.unstubAllGlobals();
});

const offer = { code: 'WELCOME', credit: 1 };
const settings = { brandName: 'Cellhop', contactEmail: null, refundMinutes: 30, currencies: [], offer };
const countries = [
  { countryCode: 'DE', free: 1200, cities: 4, operators: 3, megabytePrice: 0.008 },
  { countryCode: 'KZ', free: 1, cities: 1, operators: 1, megabytePrice: null },
];
const stock = { countedSecondsAgo: 70, free: 1201, operators: 4, megabytePrice: 0.008, countries };

it.each([
  {
    what: 'what is for sale',
    answer: Response.json({ data: stock }),
    texts: [/1,201/, /Germany.*1,200.*\$0\.008.*\$8\.20/, /Kazakhstan.*sold out/],
    isEmpty: 'false',
  },
  {
    what: 'that nothing is for sale',
    answer: Response.json({ data: { ...stock, free: 0, megabytePrice: null, countries: [] } }),
    texts: [/All proxies are in use/],
    isEmpty: 'true',
  },
  {
    what: 'no prices if the API does not tell them',
    answer: new Response(null, { status: 503 }),
    texts: [/The prices could not be loaded/],
    isEmpty: 'true',
  },
])('says $what, and has two ways in', async ({ answer, texts, isEmpty }) => {
  vi.resetModules();
  vi.stubGlobal('fetch', (url: string) =>
    Promise.resolve(url === '/v1/settings' ? Response.json({ data: settings }) : answer.clone()),
  );
  const root = document.createElement('div');
  document.body.append(root);
  const landing = await import('./start-landing.tsx');
  await landing.startLanding(root);
  await waitFor(() => {
    for (const text of texts) expect(root.textContent).toMatch(text);
  });
  // One above the fold, one at the end of the page, which comes later.
  const waysIn = () => within(root).queryAllByRole('link', { name: 'Start with $1 free' });
  await waitFor(() =>
    expect(waysIn().map((link) => link.getAttribute('href'))).toEqual(['/sign-up?rc=WELCOME', '/sign-up?rc=WELCOME']),
  );
  // Numbers that are not known are not shown as zero.
  expect(root.querySelector('[data-is-empty]')!.getAttribute('data-is-empty')).toBe(isEmpty);
  root.remove();
  vi.unstubAllGlobals();
});

it('names no coin in texts that are shown whatever is set up', () => {
  const texts = JSON.stringify([en, enDetails, ru, ruDetails]);
  const tickers = new Set(currencies.map((currency) => currency.split('_', 1)[0]!));
  expect([...tickers].filter((ticker) => texts.includes(ticker))).toEqual([]);
});

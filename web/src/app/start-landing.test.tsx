import { currencies } from '@cellhop/contract/invoices.values';
import { screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import en from '../i18n/locales/en/landing.json';
import ru from '../i18n/locales/ru/landing.json';
import { startLanding } from './start-landing.tsx';

it('lists the coins of this installation, and no others', async () => {
  const data = { brandName: 'Cellhop', contactEmail: null, currencies: ['BTC', 'USDT_ERC20', 'USDT_BSC'] };
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
  // An API of the release before.
  [undefined, '/sign-up', 'Sign up'],
])('the way in with the offer %j is %s', async (offer, path, text) => {
  vi.resetModules();
  vi.stubGlobal('fetch', () =>
    Promise.resolve(Response.json({ data: { brandName: 'Cellhop', currencies: [], offer } })),
  );
  const root = document.createElement('div');
  document.body.append(root);
  const landing = await import('./start-landing.tsx');
  await landing.startLanding(root);
  const links = await within(root).findAllByRole('link', { name: text });
  expect(links.map((link) => link.getAttribute('href'))).toEqual([path, path]);
  root.remove();
  vi.unstubAllGlobals();
});

it('names no coin in texts that are shown whatever is set up', () => {
  const texts = JSON.stringify([en, ru]);
  const tickers = new Set(currencies.map((currency) => currency.split('_', 1)[0]!));
  expect([...tickers].filter((ticker) => texts.includes(ticker))).toEqual([]);
});

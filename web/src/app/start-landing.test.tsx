import { currencies } from '@cellhop/contract/invoices.values';
import { screen } from '@testing-library/react';
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

it('names no coin in texts that are shown whatever is set up', () => {
  const texts = JSON.stringify([en, ru]);
  const tickers = new Set(currencies.map((currency) => currency.split('_', 1)[0]!));
  expect([...tickers].filter((ticker) => texts.includes(ticker))).toEqual([]);
});

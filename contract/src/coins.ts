/** Names of currencies that are equal in all languages. */
import type { Currency } from './invoices.values.ts';

/** The coin's ticker, which is the same on every network. */
export function currencyTicker(currency: Currency): string {
  return currency.split('_', 1)[0]!;
}

/** What people call the coin: Toncoin has been renamed, and other coins have its tickers, the old one and the new one. */
function coinName(currency: Currency): string {
  return currency === 'TON' ? 'Gram (Toncoin)' : currencyTicker(currency);
}

/** The names of the coins, each once, as a list in the user's language. */
export function listCoins(currencies: readonly Currency[], language: string): string {
  return new Intl.ListFormat(language).format(new Set(currencies.map(coinName)));
}

/** The coin that pays the fees of the network. */
export function feeCoin(currency: Currency): string {
  const coins: Partial<Record<Currency, string>> = {
    USDT_ERC20: 'ETH',
    USDT_BSC: 'BNB',
    USDT_TRC20: 'TRX',
    USDT_TON: coinName('TON'),
  };
  return coins[currency] ?? coinName(currency);
}

/** Coin and network in few letters: `USDT · TRC20`. */
export function shortCurrency(currency: Currency): string {
  const standards: Partial<Record<Currency, string>> = {
    USDT_TRC20: 'TRC20',
    USDT_ERC20: 'ERC20',
    USDT_BSC: 'BEP20',
    USDT_TON: 'TON',
  };
  const standard = standards[currency];
  return standard === undefined ? currencyTicker(currency) : `${currencyTicker(currency)} · ${standard}`;
}

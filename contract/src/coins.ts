/** Names of currencies that are equal in all languages. */
import { currencies, type Currency, currencyFacts } from './chains.ts';

type TickerOf<Name> = Name extends `${infer Coin}_${string}` ? Coin : Name;
/** The coin's ticker, which is the same on every network. */
export type Ticker = TickerOf<Currency>;

export function currencyTicker(currency: Currency): Ticker {
  return currency.split('_', 1)[0] as Ticker;
}

export const tickers: readonly Ticker[] = [...new Set(currencies.map(currencyTicker))];

/** The names of the coins, each once, as a list in the user's language. */
export function listCoins(currencies: readonly Currency[], language: string): string {
  return new Intl.ListFormat(language).format(new Set(currencies.map(coinName)));
}

function coinName(currency: Currency): string {
  const facts = currencyFacts[currency];
  return 'coinName' in facts ? facts.coinName : currencyTicker(currency);
}

/** The coin that pays the fees of the network. */
export function feeCoin(currency: Currency): string {
  const facts = currencyFacts[currency];
  return 'feeCoin' in facts ? facts.feeCoin : coinName(currency);
}

/** Coin and network in few letters: `USDT · TRC20`. */
export function shortCurrency(currency: Currency): string {
  const facts = currencyFacts[currency];
  return 'standard' in facts ? `${currencyTicker(currency)} · ${facts.standard}` : currencyTicker(currency);
}

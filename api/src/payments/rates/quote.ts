/** A quote: the price of one coin from one source of exchange rates. */
import { type Ticker, tickers } from '@cellhop/contract/coins';
import type { Currency } from '@cellhop/contract/invoices.values';

export type Asset = Ticker;
export const assets = tickers;

export interface Quote {
  asset: Asset;
  /** US dollars per coin, times 10^12. */
  rateE12: bigint;
  /** The time by the clock of the source. */
  at: Date;
}

const RATE_DECIMALS = 12;
/** More digits than any price has. */
const DECIMAL = /^(\d{1,15})(?:\.(\d{1,40}))?$/;

/** @throws Error if the text is no positive decimal number */
export function parseRate(text: string): bigint {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  const rateE12 =
    whole === undefined ? 0n : BigInt(whole + fraction.slice(0, RATE_DECIMALS).padEnd(RATE_DECIMALS, '0'));
  if (rateE12 === 0n) throw new Error(`"${text.slice(0, 40)}" is no price`);
  return rateE12;
}

/** For sources that send JSON numbers. */
export function parseNumericRate(price: number): bigint {
  return parseRate(price.toFixed(RATE_DECIMALS));
}

const SPREAD_MAX_BASIS_POINTS = 200n;

/**
 * The price of an order book: the last trade of a quiet market may be hours old.
 * @throws Error if the offers are crossed, as before a market opens, or so far apart that there is no trade at their middle
 */
export function middleOf(bid: string, ask: string): bigint {
  const bidE12 = parseRate(bid);
  const askE12 = parseRate(ask);
  if (askE12 < bidE12 || (askE12 - bidE12) * 10_000n > bidE12 * SPREAD_MAX_BASIS_POINTS)
    throw new Error(`${bid.slice(0, 40)} and ${ask.slice(0, 40)} are no offers of a market that works`);
  return (bidE12 + askE12) / 2n;
}

const EARLIEST_MS = Date.UTC(2020);
const LATEST_MS = Date.UTC(2100);

/** @throws Error for milliseconds that are no time of a quote, which neither JavaScript nor the database could store */
export function parseTime(ms: number): Date {
  if (!(ms > EARLIEST_MS && ms < LATEST_MS)) throw new Error(`${ms} is no time of a quote`);
  return new Date(ms);
}

/** Far more than the price of a coin needs. */
const RESPONSE_BYTES_MAX = 65_536;

/** @throws Error for other statuses than 200, large responses and invalid JSON; the message names the host alone: path and query may have a key */
export async function fetchJson(url: URL, signal: AbortSignal, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(url, { signal, headers: { accept: 'application/json', ...headers }, redirect: 'error' });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${url.host} returned status ${response.status}`);
  }
  let size = 0;
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > RESPONSE_BYTES_MAX) throw new Error(`${url.host} returned more than 64 KiB`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
}

/** Stored exchange rates, so that no request waits for the network: US dollars per coin, times 10^12. */
export interface RateSource {
  /**
   * The current rate.
   * @param amountMicros the amount to convert; large amounts need more sources
   * @returns undefined while there is no reliable rate
   */
  rateE12(currency: Currency, amountMicros?: bigint): Promise<bigint | undefined>;
  /** The rate at that moment; without one, the first after it. Undefined if there is none yet. */
  rateE12At(currency: Currency, at: Date): Promise<bigint | undefined>;
  /** Whether stablecoins trade at one dollar now. */
  peg(): Promise<Peg>;
}

/** @property marketE12 what a stablecoin that has lost its peg is worth; undefined if that is unknown */
export type Peg = { isKept: true } | { isKept: false; marketE12: bigint | undefined };

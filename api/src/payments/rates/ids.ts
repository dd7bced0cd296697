/**
 * By which name each source knows each coin. Sources rename and delist coins (Toncoin became Gram in 2026), and several coins share a
 * ticker, so the operator can replace a name without a new release: RATES_IDS.
 */
import { assets, type Asset } from './quote.ts';

export const rateSourceNames = ['kraken', 'binance', 'okx', 'bybit', 'coinbase', 'coingecko', 'coinpaprika'] as const;
export type RateSourceName = (typeof rateSourceNames)[number];

export type RateIds = Readonly<Record<RateSourceName, Readonly<Partial<Record<Asset, string>>>>>;

/** Those of TON on Kraken, Coinbase and CoinPaprika were not seen in a live answer: docs/payments.md says so. */
export const defaultRateIds: RateIds = {
  kraken: { BTC: 'XBTUSD', ETH: 'ETHUSD', LTC: 'LTCUSD', TRX: 'TRXUSD', TON: 'GRAMUSD', USDT: 'USDTUSD' },
  binance: { BTC: 'BTCUSDT', ETH: 'ETHUSDT', LTC: 'LTCUSDT', TRX: 'TRXUSDT', TON: 'GRAMUSDT' },
  okx: { BTC: 'BTC-USDT', ETH: 'ETH-USDT', LTC: 'LTC-USDT', TRX: 'TRX-USDT', TON: 'GRAM-USDT' },
  bybit: { BTC: 'BTCUSDT', ETH: 'ETHUSDT', LTC: 'LTCUSDT', TRX: 'TRXUSDT', TON: 'GRAMUSDT' },
  coinbase: { BTC: 'BTC-USD', ETH: 'ETH-USD', LTC: 'LTC-USD', TON: 'GRAM-USD', USDT: 'USDT-USD' },
  coingecko: {
    BTC: 'bitcoin',
    ETH: 'ethereum',
    LTC: 'litecoin',
    TRX: 'tron',
    TON: 'the-open-network',
    USDT: 'tether',
  },
  coinpaprika: {
    BTC: 'btc-bitcoin',
    ETH: 'eth-ethereum',
    LTC: 'ltc-litecoin',
    TRX: 'trx-tron',
    TON: 'toncoin-the-open-network',
    USDT: 'usdt-tether',
  },
};

const OVERRIDE = /^([a-z]+)\.([A-Z]+)=([A-Za-z0-9_-]{1,60})$/;
const NONE = 'off';

/**
 * @param overrides each `source.COIN=id`, or `source.COIN=off`
 * @throws Error with a sentence for the operator
 */
export function readRateIds(overrides: readonly string[]): RateIds {
  const ids = Object.fromEntries(rateSourceNames.map((name) => [name, { ...defaultRateIds[name] }])) as Record<
    RateSourceName,
    Partial<Record<Asset, string>>
  >;
  for (const override of overrides) {
    const [, typedSource, typedAsset, id] = OVERRIDE.exec(override) ?? [];
    const source = rateSourceNames.find((name) => name === typedSource);
    const asset = assets.find((name) => name === typedAsset);
    if (source === undefined || asset === undefined || id === undefined)
      throw new Error(
        `RATES_IDS: "${override.slice(0, 80)}" is no source.COIN=id; sources are ${rateSourceNames.join(', ')}, coins ${assets.join(', ')}`,
      );
    if (asset === 'USDT' && defaultRateIds[source].USDT === undefined)
      throw new Error(`RATES_IDS: ${source} has no price of USDT in dollars, because its prices are in USDT`);
    if (id === NONE) delete ids[source][asset];
    else ids[source][asset] = id;
  }
  for (const name of rateSourceNames) requireDistinct(name, Object.values(ids[name]));
  return ids;
}

/** Two coins at one price are a mistake. */
function requireDistinct(source: RateSourceName, ids: readonly string[]): void {
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Error(`RATES_IDS: ${source} would use ${twice} for two coins`);
}

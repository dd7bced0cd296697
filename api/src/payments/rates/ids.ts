/**
 * By which name each source knows each coin. Sources rename and delist coins (Toncoin became Gram in 2026), and several coins share a
 * ticker, so the operator can replace a name without a new release: RATES_IDS.
 */
import type { SourceIds } from '../chains/chain.ts';
import { currencyRules } from '../currencies.ts';
import { assets, type Asset } from './quote.ts';

export const rateSourceNames = ['kraken', 'binance', 'okx', 'bybit', 'coinbase', 'coingecko', 'coinpaprika'] as const;
export type RateSourceName = (typeof rateSourceNames)[number];

export type RateIds = Readonly<Record<RateSourceName, Readonly<Partial<Record<Asset, string>>>>>;

/** USDT is of no chain; sources whose prices are in USDT have none of it. */
const usdtIds = { kraken: 'USDTUSD', coinbase: 'USDT-USD', coingecko: 'tether', coinpaprika: 'usdt-tether' };
const idsByAsset = new Map(
  Object.values(currencyRules).map(({ asset, rateIds = usdtIds }): [Asset, SourceIds] => [asset, rateIds]),
);

export const defaultRateIds = Object.fromEntries(
  rateSourceNames.map((source) => [
    source,
    Object.fromEntries(
      assets.flatMap((asset) => {
        const id = idsByAsset.get(asset)?.[source];
        return id === undefined ? [] : [[asset, id]];
      }),
    ),
  ]),
) as RateIds;

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

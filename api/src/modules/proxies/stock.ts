/**
 * What visitors see of the catalogue. Each visitor requests it, so it is computed at most every ten seconds, from the counts of the filters
 * and one index row per country; once it is known, no request waits for it.
 */
import { megabytePrice } from '@cellhop/contract/units';
import { type Ctx, inTurn } from '../../ctx.ts';
import { keepValue } from '../../process/kept-value.ts';
import type { FacetsReader } from './counts.ts';
import * as counts from './counts.store.ts';
import type { CountryFacets } from './facet-index.ts';
import { findLowestPrices } from './search.store.ts';

export interface Stock {
  countedAt: Date;
  /** Those with free proxies, the most first. */
  countries: CountryStock[];
}

interface CountryStock extends CountryFacets {
  /** For one megabyte; undefined if the last proxy was sold since the count. */
  priceMicros: bigint | undefined;
}

/** The returned function rejects only while nothing is known. */
export function createStockReader(ctx: Ctx, facets: FacetsReader): () => Promise<Stock> {
  return keepValue(ctx.log, 'the stock', () => readStock(inTurn(ctx), facets));
}

async function readStock(ctx: Ctx, facets: FacetsReader): Promise<Stock> {
  const countries = await facets.listCountries(ctx);
  const [countedAt, prices] = await Promise.all([
    counts.findFacetsTime(ctx),
    findLowestPrices(
      ctx,
      countries.map(({ countryCode }) => countryCode),
    ),
  ]);
  const priceByCountry = new Map(
    prices.map(({ countryCode, priceMicros }) => [countryCode, megabytePrice(priceMicros)]),
  );
  return {
    countedAt: countedAt ?? new Date(),
    countries: countries
      .map((country) => ({ ...country, priceMicros: priceByCountry.get(country.countryCode) }))
      .toSorted((one, other) => other.free - one.free || one.countryCode.localeCompare(other.countryCode)),
  };
}

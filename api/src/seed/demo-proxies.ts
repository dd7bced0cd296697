import type { Place } from '@cellhop/contract/places.values';
import type { Ctx } from '../ctx.ts';
import { demoCountries } from './demo-countries.ts';
import { DEFAULT_NODE_NAME } from '../modules/gateway/gateway.service.ts';
import { insertExit, insertModem, insertProxies } from './seed.store.ts';

export interface DemoProxy extends Place {
  ip: string;
  priceMicros: bigint;
}

const PROXY_COUNT = 500;
/** Customers change the addresses of these proxies (`demo-farm.ts`). */
const FARM_COUNTRY = 'JP';
const connectionTypes = ['LTE', '5G', 'LTE', '3G'];

/** Fills the catalogue with proxies whose addresses are in the range for benchmarks (RFC 2544), which are not used on the internet. */
export async function seedProxies(ctx: Ctx): Promise<void> {
  const { farm = [], others = [] } = Object.groupBy(
    Array.from({ length: PROXY_COUNT }, (_, index) => demoProxy(index)),
    ({ countryCode }) => (countryCode === FARM_COUNTRY ? 'farm' : 'others'),
  );
  await insertProxies(ctx, await insertExit(ctx, DEFAULT_NODE_NAME), others);
  for (const [index, proxy] of farm.entries())
    await insertProxies(ctx, await insertModem(ctx, DEFAULT_NODE_NAME, index + 1), [proxy]);
}

/** The same catalogue at every start: values follow from the index alone. */
function demoProxy(index: number): DemoProxy {
  const country = pick(demoCountries, index);
  const round = Math.floor(index / demoCountries.length);
  const [city, region, firstZip] = pick(country.cities, round);
  const [isp, asn] = pick(Object.entries(country.isps), round + index);
  return {
    ip: `198.18.${Math.floor(index / 250)}.${(index % 250) + 1}`,
    priceMicros: BigInt(country.priceCents + (round % 3) * 10) * 10_000n,
    countryCode: country.code,
    region,
    city,
    zip: nextZip(firstZip, round % 4),
    isp,
    asn,
    connectionType: pick(connectionTypes, round + index),
  };
}

function pick<T>(items: readonly T[], index: number): T {
  return items[index % items.length]!;
}

/** The zip `steps` after the first one, as far as its last digits go. */
function nextZip(zip: string, steps: number): string {
  return zip.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + steps) % 10));
}

/** The numbers of free proxies under a filter: the worker counts all combinations, each API process keeps them in memory. */
import type { ProxyFacets, ProxyQuery } from '@cellhop/contract/proxies';
import type { Ctx } from '../../ctx.ts';
import { lockCounting, tryLockCounting } from './counts.store.ts';
import { REST_FACTOR, REST_MS_MIN, TIME_LIMIT_MS } from './counts.ts';
import { createFacetIndex } from './facet-index.ts';
import * as store from './facets.store.ts';

/** Loaded per query: the largest country of a million proxies has about a megabyte. */
const COUNTRIES_PER_QUERY = 5;

/** A periodic task of the worker: counts when it is due, unless another worker is counting. */
export async function refreshFacets(ctx: Ctx): Promise<void> {
  if (!(await store.areFacetsDue(ctx, REST_FACTOR, REST_MS_MIN))) return;
  await ctx.tx(
    async (ctx) => {
      if (await tryLockCounting(ctx)) await count(ctx);
    },
    { timeLimitMs: TIME_LIMIT_MS },
  );
}

/** Takes no row locks, so sales continue. */
async function count(ctx: Ctx): Promise<void> {
  const startedAt = performance.now();
  await store.countFacets(ctx);
  await store.saveFacetsTime(ctx, Math.ceil(performance.now() - startedAt));
}

async function countIfMissing(ctx: Ctx): Promise<void> {
  await ctx.tx(
    async (ctx) => {
      await lockCounting(ctx);
      if (!(await store.findFacetVersions(ctx))) await count(ctx);
    },
    { timeLimitMs: TIME_LIMIT_MS },
  );
}

async function findOrCount(ctx: Ctx): Promise<store.FacetVersions | undefined> {
  const versions = await store.findFacetVersions(ctx);
  if (versions) return versions;
  await countIfMissing(ctx);
  return store.findFacetVersions(ctx);
}

/** Loads the countries that have changed, then counts in memory. Concurrent requests share one load. */
export function createFacetsReader(): (ctx: Ctx, filter: ProxyQuery) => Promise<ProxyFacets> {
  let index = createFacetIndex();
  let version = 0n;
  let loading: Promise<void> | undefined;

  async function load(ctx: Ctx) {
    const versions = await findOrCount(ctx);
    if (versions?.newest === version) return;
    // All countries are newer: the table was emptied by a crash of the database and refilled, without countries that have no free proxies.
    if (!versions || versions.oldest > version) {
      index = createFacetIndex();
      version = 0n;
    }
    for (;;) {
      const countries = await store.findCountries(ctx, version, COUNTRIES_PER_QUERY);
      for (const { countryCode, body } of countries) index.replaceCountry(countryCode, body);
      version = countries.at(-1)?.version ?? version;
      if (countries.length < COUNTRIES_PER_QUERY) return;
    }
  }

  return async (ctx, filter) => {
    loading ??= load(ctx).finally(() => {
      loading = undefined;
    });
    await loading;
    return index.count(filter);
  };
}

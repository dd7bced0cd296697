/**
 * The numbers of free proxies, counted in the background: per filter value, one cached response for all API processes; and under a filter
 * (facets), from the counts of all combinations, which each API process keeps in memory.
 */
import type { Output } from '@cellhop/contract/endpoint';
import type { getProxyFilter, ProxyFacets, ProxyQuery } from '@cellhop/contract/proxies';
import type { Ctx } from '../../ctx.ts';
import { etagOf } from '../../http/etag.ts';
import * as store from './counts.store.ts';
import { type CountryFacets, createFacetIndex } from './facet-index.ts';

/** The next count waits this many times the duration of the last one, so counting takes at most a twentieth of one core. */
const REST_FACTOR = 20;
const REST_MS_MIN = 1000;
const TIME_LIMIT_MS = 60_000;

/** A periodic task of the worker: counts when it is due, unless another worker is counting. */
export async function refreshCounts(ctx: Ctx): Promise<void> {
  if (!(await store.isDue(ctx, REST_FACTOR, REST_MS_MIN))) return;
  await ctx.tx(
    async (ctx) => {
      if (await store.tryLockCounting(ctx)) await count(ctx);
    },
    { timeLimitMs: TIME_LIMIT_MS },
  );
}

/** Counts if there is no count yet, before the first worker has started. */
export function ensureCounts(ctx: Ctx): Promise<void> {
  return ctx.tx(
    async (ctx) => {
      await store.lockCounting(ctx);
      if ((await store.findEtag(ctx)) === undefined) await count(ctx);
    },
    { timeLimitMs: TIME_LIMIT_MS },
  );
}

/** Takes no row locks, so sales continue. */
async function count(ctx: Ctx): Promise<void> {
  const startedAt = performance.now();
  const response: Output<typeof getProxyFilter> = { data: await store.countFree(ctx) };
  const body = JSON.stringify(response);
  const etag = etagOf(body);
  const tookMs = Math.ceil(performance.now() - startedAt);
  if (!(await store.confirmCounts(ctx, etag, tookMs))) await store.saveCounts(ctx, { body, etag }, tookMs);
}

/** Reads the cached response. Fetches the body from the database only if its ETag has changed. */
export function createCountsReader(): (ctx: Ctx) => Promise<store.Counts> {
  let cached: store.Counts | undefined;
  return async (ctx) => {
    if (cached && cached.etag === (await store.findEtag(ctx))) return cached;
    cached = await readOrCount(ctx);
    return cached;
  };
}

async function readOrCount(ctx: Ctx): Promise<store.Counts> {
  const counts = await store.findCounts(ctx);
  if (counts) return counts;
  await ensureCounts(ctx);
  return (await store.findCounts(ctx))!;
}

/** Loaded per query: the largest country of a million proxies has about a megabyte. */
const COUNTRIES_PER_QUERY = 5;

/** A periodic task of the worker: counts when it is due, unless another worker is counting. */
export async function refreshFacets(ctx: Ctx): Promise<void> {
  if (!(await store.areFacetsDue(ctx, REST_FACTOR, REST_MS_MIN))) return;
  await ctx.tx(
    async (ctx) => {
      if (await store.tryLockCounting(ctx)) await countFacets(ctx);
    },
    { timeLimitMs: TIME_LIMIT_MS },
  );
}

/** Takes no row locks, so sales continue. */
async function countFacets(ctx: Ctx): Promise<void> {
  const startedAt = performance.now();
  await store.countFacets(ctx);
  await store.saveFacetsTime(ctx, Math.ceil(performance.now() - startedAt));
}

async function countIfMissing(ctx: Ctx): Promise<void> {
  await ctx.tx(
    async (ctx) => {
      await store.lockCounting(ctx);
      if (!(await store.findFacetVersions(ctx))) await countFacets(ctx);
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

export interface FacetsReader {
  count(ctx: Ctx, filter: ProxyQuery): Promise<ProxyFacets>;
  listCountries(ctx: Ctx): Promise<CountryFacets[]>;
}

/** Loads the countries that have changed, then counts in memory. Concurrent requests share one load. */
export function createFacetsReader(): FacetsReader {
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

  const loaded = async (ctx: Ctx) => {
    loading ??= load(ctx).finally(() => {
      loading = undefined;
    });
    await loading;
    return index;
  };

  return {
    count: async (ctx, filter) => (await loaded(ctx)).count(filter),
    listCountries: async (ctx) => (await loaded(ctx)).listCountries(),
  };
}

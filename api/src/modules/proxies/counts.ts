/** The numbers of free proxies per filter value: counted in the background, one cached response for all API processes. */
import type { Output } from '@cellhop/contract/endpoint';
import type { getProxyFilter } from '@cellhop/contract/proxies';

import { createHash } from 'node:crypto';
import type { Ctx } from '../../ctx.ts';
import * as store from './counts.store.ts';

/** The next count waits this many times the duration of the last one, so counting takes at most a twentieth of one core. */
export const REST_FACTOR = 20;
export const REST_MS_MIN = 1000;
export const TIME_LIMIT_MS = 60_000;

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
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
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

/** The numbers of free proxies in each group: counted in the background, one cached answer for all API nodes. */
import type { Output } from '@cellhop/contract/endpoint';
import type { getProxyFilter } from '@cellhop/contract/proxies';

import { createHash } from 'node:crypto';
import type { Ctx } from '../../ctx.ts';
import * as store from './counts.store.ts';

/** The next count waits this many times as long as the last one took: at most a twentieth of one core goes into them. */
const REST_FACTOR = 20;
const REST_MS_MIN = 1000;
const TIME_LIMIT_MS = 60_000;

/** A sweep of the worker: counts when it is time, unless another worker does. */
export async function refreshCounts(ctx: Ctx): Promise<void> {
  if (!(await store.isDue(ctx, REST_FACTOR, REST_MS_MIN))) return;
  await ctx.tx(
    async (ctx) => {
      if (await store.tryLockCounting(ctx)) await count(ctx);
    },
    { timeLimitMs: TIME_LIMIT_MS },
  );
}

/** For a database that no worker has seen yet; what has been counted stays as it is. */
export function ensureCounts(ctx: Ctx): Promise<void> {
  return ctx.tx(
    async (ctx) => {
      await store.lockCounting(ctx);
      if ((await store.findEtag(ctx)) === undefined) await count(ctx);
    },
    { timeLimitMs: TIME_LIMIT_MS },
  );
}

/** The catalogue is read, not locked: sales and returns go on. */
async function count(ctx: Ctx): Promise<void> {
  const startedAt = performance.now();
  const answer: Output<typeof getProxyFilter> = { data: await store.countFree(ctx) };
  const body = JSON.stringify(answer);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const tookMs = Math.ceil(performance.now() - startedAt);
  if (!(await store.confirmCounts(ctx, etag, tookMs))) await store.saveCounts(ctx, { body, etag }, tookMs);
}

/** Reads the cached answer; the body is fetched from the database only when it has changed. */
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

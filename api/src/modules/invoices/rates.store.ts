import type { Ctx } from '../../ctx.ts';
import type { Asset } from '../../payments/rates/quote.ts';
import type { SourceQuote } from '../../payments/rates/rate-policy.ts';
import type { RateSourceName } from '../../payments/rates/ids.ts';
import { withTraits } from '../../payments/rates/sources.ts';

/** Claims the next fetch, if it is due and no other worker has claimed it. */
export async function claimFetch(ctx: Ctx, source: RateSourceName, everyMs: number): Promise<boolean> {
  const rows = await ctx.db.query(
    `insert into rate_sources as known (source, next_fetch_at) values ($1, now() + $2 * interval '1 millisecond')
     on conflict (source) do update set next_fetch_at = excluded.next_fetch_at where known.next_fetch_at <= now()
     returning source`,
    [source, everyMs],
  );
  return rows.length > 0;
}

/** @param failure of single coins */
export async function saveSuccess(ctx: Ctx, source: RateSourceName, failure: string | null): Promise<void> {
  await ctx.db.query(
    'update rate_sources set succeeded_at = now(), failing_since = null, failure = $2 where source = $1',
    [source, failure],
  );
}

/** The source is queried again after the usual pause. */
export async function saveFailure(ctx: Ctx, source: RateSourceName, failure: string): Promise<void> {
  await ctx.db.query(
    'update rate_sources set failing_since = coalesce(failing_since, now()), failure = $2 where source = $1',
    [source, failure],
  );
}

export interface StoredQuote extends SourceQuote {
  id: bigint;
}

export async function insertQuotes(ctx: Ctx, quotes: readonly SourceQuote[]): Promise<void> {
  await ctx.db.query(
    `insert into rate_quotes (source, asset, rate_e12, quoted_at)
     select * from unnest($1::text[], $2::text[], $3::numeric[], $4::timestamptz[])`,
    [
      quotes.map(({ source }) => source),
      quotes.map(({ asset }) => asset),
      quotes.map(({ rateE12 }) => rateE12),
      quotes.map(({ at }) => at),
    ],
  );
}

/** The newest quote of each of these sources for the coin, fetched within this time. */
export async function listNewestQuotes(
  ctx: Ctx,
  asset: Asset,
  sources: readonly RateSourceName[],
  withinMs: number,
): Promise<StoredQuote[]> {
  const rows = await ctx.db.query<{ id: bigint; source: string; asset: Asset; rateE12: string; at: Date }>(
    `select distinct on (source) id, source, asset, rate_e12 as "rateE12", quoted_at as at
       from rate_quotes where asset = $1 and fetched_at > now() - $2 * interval '1 millisecond' and source = any($3)
      order by source, id desc`,
    [asset, withinMs, sources],
  );
  return rows.map(({ id, rateE12, ...row }) => ({ id, ...withTraits({ ...row, rateE12: BigInt(rateE12) }) }));
}

export async function saveRejections(ctx: Ctx, rejections: ReadonlyMap<bigint, string>): Promise<void> {
  await ctx.db.query(
    `update rate_quotes set rejection = rejected.reason
       from unnest($1::bigint[], $2::text[]) as rejected (id, reason) where rate_quotes.id = rejected.id`,
    [[...rejections.keys()], [...rejections.values()]],
  );
}

export async function insertRate(ctx: Ctx, asset: Asset, rateE12: bigint, sourceCount: number): Promise<void> {
  await ctx.db.query(
    'insert into exchange_rates (asset, rate_e12, source_count) values ($1, $2, $3) on conflict do nothing',
    [asset, rateE12, sourceCount],
  );
}

export interface AcceptedRate {
  rateE12: bigint;
  sourceCount: number;
  at: Date;
}

/**
 * The last one accepted before `at`, but not longer before than `withinMs`. 'now' is read by the clock of the database,
 * which stamps the rates: that of this process may be behind, and has no microseconds.
 */
export async function findRateBefore(
  ctx: Ctx,
  asset: Asset,
  at: Date | 'now',
  withinMs: number,
): Promise<AcceptedRate | undefined> {
  return toRate(
    await ctx.db.query(
      `select rate_e12 as "rateE12", source_count as "sourceCount", accepted_at as at from exchange_rates
        where asset = $1 and accepted_at <= $2::timestamptz and accepted_at > $2::timestamptz - $3 * interval '1 millisecond'
        order by accepted_at desc limit 1`,
      [asset, at, withinMs],
    ),
  );
}

export async function findRateAfter(ctx: Ctx, asset: Asset, at: Date): Promise<AcceptedRate | undefined> {
  return toRate(
    await ctx.db.query(
      `select rate_e12 as "rateE12", source_count as "sourceCount", accepted_at as at from exchange_rates
        where asset = $1 and accepted_at > $2 order by accepted_at limit 1`,
      [asset, at],
    ),
  );
}

export interface SourceState {
  source: string;
  succeededAt: Date | null;
  failingSince: Date | null;
  failure: string | null;
}

export function listSources(ctx: Ctx): Promise<SourceState[]> {
  return ctx.db.query(
    `select source, succeeded_at as "succeededAt", failing_since as "failingSince", failure from rate_sources order by source`,
  );
}

export async function deleteQuotesBefore(ctx: Ctx, before: Date, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from rate_quotes where id in (select id from rate_quotes where fetched_at < $1 limit $2) returning id`,
    [before, limit],
  );
  return rows.length;
}

export async function deleteRatesBefore(ctx: Ctx, before: Date, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from exchange_rates where (asset, accepted_at) in (
       select asset, accepted_at from exchange_rates where accepted_at < $1 limit $2) returning asset`,
    [before, limit],
  );
  return rows.length;
}

function toRate(rows: readonly { rateE12: string; sourceCount: number; at: Date }[]): AcceptedRate | undefined {
  const [row] = rows;
  return row && { ...row, rateE12: BigInt(row.rateE12) };
}

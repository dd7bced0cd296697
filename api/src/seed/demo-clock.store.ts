/**
 * Development only: lets the product's own functions write history. Within the transaction of the seed, now() and similar functions return
 * a chosen time. So the statements of the product make purchases in the past: ledger, receipts and refund window agree, and no row is
 * changed afterwards.
 *
 * Functions and statements find `demo_clock.now()` first in the search path. Defaults of columns are bound when they are declared, so
 * they are declared again, and restored before the commit. Nothing of this is visible to other transactions.
 */
import type { Ctx } from '../ctx.ts';

export async function openDemoClock(ctx: Ctx): Promise<void> {
  await ctx.db.query('create schema demo_clock');
  for (const name of ['now', 'statement_timestamp', 'clock_timestamp'] as const) await ctx.db.query(CREATE[name]);
  await checkDeferred(ctx);
  await ctx.db.query('set local search_path = demo_clock, public, pg_catalog');
  await ctx.db.query(declareDefaults('pg_catalog.', ''));
}

/** Call it before the commit. */
export async function closeDemoClock(ctx: Ctx): Promise<void> {
  await checkDeferred(ctx);
  await ctx.db.query('set local search_path to default');
  await ctx.db.query(declareDefaults('demo_clock.', 'pg_catalog.'));
  await ctx.db.query('drop function demo_clock.now(), demo_clock.statement_timestamp(), demo_clock.clock_timestamp()');
  await ctx.db.query('drop schema demo_clock');
}

export async function setDemoClock(ctx: Ctx, at: Date): Promise<void> {
  await ctx.db.query("select set_config('demo_clock.now', $1, true)", [at.toISOString()]);
}

/** A table with deferred checks cannot be altered. */
async function checkDeferred(ctx: Ctx): Promise<void> {
  await ctx.db.query('set constraints all immediate');
  await ctx.db.query('set constraints all deferred');
}

const create = (name: string) =>
  `create function demo_clock.${name}() returns timestamptz language sql stable
   return current_setting('demo_clock.now')::timestamptz`;
const CREATE = {
  now: create('now'),
  statement_timestamp: create('statement_timestamp'),
  clock_timestamp: create('clock_timestamp'),
};

/** Declares every default that contains now() again, from one schema's function to another's. */
const declareDefaults = (from: 'pg_catalog.' | 'demo_clock.', to: 'pg_catalog.' | '') =>
  `do $$
   declare
     dated record;
   begin
     for dated in
       select adrelid::regclass as relation, attname, replace(pg_get_expr(adbin, adrelid), '${from}now()', '${to}now()') as expression
         from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum join pg_class on pg_class.oid = adrelid
        where pg_get_expr(adbin, adrelid) like '%${from}now()%' and relnamespace = 'public'::regnamespace
     loop
       execute format('alter table %s alter column %I set default %s', dated.relation, dated.attname, dated.expression);
     end loop;
   end $$`;

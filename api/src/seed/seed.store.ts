import type { ExitParameters } from '@cellhop/contract/exits';
import type { Permission } from '@cellhop/contract/permissions';
import type { Ctx } from '../ctx.ts';
import { placeSql } from '../db/place-columns.ts';
import { DEMO_PROMO_CODE } from '../process/config.ts';
import type { DemoProxy } from './demo-proxies.ts';

export async function hasRoles(ctx: Ctx): Promise<boolean> {
  return (await ctx.db.query('select from roles limit 1')).length > 0;
}

export async function insertRole(ctx: Ctx, name: string, permissions: readonly Permission[]): Promise<void> {
  await ctx.db.query('insert into roles (name, permissions) values ($1, $2) on conflict (name) do nothing', [
    name,
    permissions,
  ]);
}

export async function updatePermissions(ctx: Ctx, name: string, permissions: readonly Permission[]): Promise<void> {
  await ctx.db.query('update roles set permissions = $2 where name = $1 and permissions <> $2', [name, permissions]);
}

/** Serializes processes that start at the same time. */
export async function lockSeeding(ctx: Ctx): Promise<void> {
  await ctx.db.query('select pg_advisory_xact_lock(727002)');
}

export async function hasUsers(ctx: Ctx): Promise<boolean> {
  return (await ctx.db.query('select from users limit 1')).length > 0;
}

/** @returns its id */
export async function insertPromoCode(
  ctx: Ctx,
  code: string,
  userId: string,
  trialCreditMicros: bigint,
): Promise<string> {
  const [row] = await ctx.db.query<{ id: string }>(
    'insert into promo_codes (code, user_id, trial_credit_micros) values ($1, $2, $3) returning id',
    [code, userId, trialCreditMicros],
  );
  return row!.id;
}

/** @returns the id of the exit by the host's own route, which works on any machine, with the internet or without */
export async function insertExit(ctx: Ctx, node: string): Promise<string> {
  const [row] = await ctx.db.query<{ id: string }>(
    `insert into exits (node_id, kind, key, parameters)
     select id, 'local-address', 'local-address://', '{"address": null}' from gateway_nodes where name = $1 returning id`,
    [node],
  );
  if (!row) throw new Error(`The node ${node} is not registered`);
  return row.id;
}

const MODEM = 'http://demo-farm:';

/** @returns the id of an exit whose place is known when the farm runs */
export async function insertModem(ctx: Ctx, node: string, number: number): Promise<string> {
  const [row] = await ctx.db.query<{ id: string }>(
    `insert into exits (node_id, kind, key, parameters)
     select id, 'http', $2 || $3::int, '{"host": "127.0.0.1", "port": 1}' from gateway_nodes where name = $1 returning id`,
    [node, MODEM, number],
  );
  return row!.id;
}

/** @returns the ids of their exits */
export async function listModems(ctx: Ctx): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>('select id from exits where starts_with(key, $1) order by key', [
    MODEM,
  ]);
  return rows.map(({ id }) => id);
}

/** At each start of the farm. The short cooldown lets a visitor see two changes. */
export async function connectModem(ctx: Ctx, exitId: string, parameters: ExitParameters, link: Buffer): Promise<void> {
  await ctx.db.query('update exits set parameters = $2 where id = $1', [exitId, JSON.stringify(parameters)]);
  await ctx.db.query(
    `insert into exit_rotations (exit_id, link_encrypted, cooldown_seconds) values ($1, $2, 5)
         on conflict (exit_id) do update set link_encrypted = excluded.link_encrypted, created_at = now()`,
    [exitId, link],
  );
}

export async function insertProxies(ctx: Ctx, exitId: string, proxies: readonly DemoProxy[]): Promise<void> {
  await ctx.db.query(
    `insert into proxies (exit_id, ip, price_micros, ${placeSql.map(({ sql }) => sql).join(', ')})
     select $1, proxy.* from unnest($2::inet[], $3::bigint[], ${placeSql.map(({ type }, index) => `$${index + 4}::${type}[]`).join(', ')}) as proxy
     on conflict (ip) do nothing`,
    [
      exitId,
      proxies.map((proxy) => proxy.ip),
      proxies.map((proxy) => proxy.priceMicros),
      ...placeSql.map(({ name }) => proxies.map((proxy) => proxy[name])),
    ],
  );
}

export interface SeededProxy {
  id: string;
  priceMicros: bigint;
}

export function listProxies(ctx: Ctx): Promise<SeededProxy[]> {
  return ctx.db.query('select id, price_micros as "priceMicros" from proxies order by ip');
}

/** Inserts a past gateway process. @returns false if there is no node */
export async function insertRun(ctx: Ctx, id: string): Promise<boolean> {
  const rows = await ctx.db.query(
    `insert into gateway_runs (id, node_id, started_at, seen_at)
     select $1, id, now(), now() from gateway_nodes order by name = 'default' desc limit 1 returning id`,
    [id],
  );
  return rows.length > 0;
}

/** Of all proxies, regardless of the checks of their exits. */
export async function setForSale(ctx: Ctx, isForSale: boolean): Promise<void> {
  await ctx.db.query('update proxies set is_exit_healthy = $1', [isForSale]);
}

/** No mails about the history: whoever looks into the mailbox of the demo expects their own. */
export async function endMails(ctx: Ctx): Promise<void> {
  await ctx.db.query('delete from unmailed_ends');
  await ctx.db.query('delete from unqueued_mails');
  await ctx.db.query('update sent_mails set sent_at = queued_at where sent_at is null');
  await ctx.db.query(
    `select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs where task_identifier like 'mail.deliver%'))`,
  );
}

/** Open connections from before the demo was created: those of the customer, then the last ones. */
export async function listLeftOpen(ctx: Ctx, customerEmail: string, limit: number): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `select id from connections
      where status = 'WORK' and created_at < (select created_at from promo_codes where code = $2)
      order by user_id = (select id from users where email = $3) desc, created_at desc limit $1`,
    [limit, DEMO_PROMO_CODE, customerEmail],
  );
  return rows.map(({ id }) => id);
}

export async function findUserId(ctx: Ctx, email: string): Promise<string> {
  const [row] = await ctx.db.query<{ id: string }>('select id from users where email = $1', [email]);
  return row!.id;
}

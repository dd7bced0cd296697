import type { Ctx } from '../../ctx.ts';

export interface Replacement {
  /** The last report of the replaced connection has come, or did not come in time. */
  isFinished: boolean;
  /** Null: none was bought. */
  newConnectionId: string | null;
  /** Since the request. */
  ageMs: number;
}

export async function findReplacement(ctx: Ctx, connectionId: string): Promise<Replacement | undefined> {
  const [row] = await ctx.db.query<Replacement>(
    `select finished_at is not null as "isFinished", new_connection_id as "newConnectionId",
            (extract(epoch from clock_timestamp() - requested_at) * 1000)::float8 as "ageMs"
       from replacements where connection_id = $1`,
    [connectionId],
  );
  return row;
}

export async function insertReplacement(ctx: Ctx, connectionId: string): Promise<void> {
  await ctx.db.query('insert into replacements (connection_id) values ($1)', [connectionId]);
}

/** @returns whether a free proxy may take the place of the connection's (api/sql/replacing_proxies.sql) */
export async function hasReplacingProxy(ctx: Ctx, connectionId: string): Promise<boolean> {
  return (await ctx.db.query('select from replacing_proxies($1, 1)', [connectionId])).length > 0;
}

export interface Successor {
  id: string;
  username: string;
  passwordEncrypted: Buffer;
  passwordHash: Buffer;
}

/** Also finishes the replacement (api/sql/buy_replacement.sql). @returns the outcome of the purchase */
export async function buySuccessor(ctx: Ctx, connectionId: string, successor: Successor): Promise<string> {
  const { id, username, passwordEncrypted, passwordHash } = successor;
  const [row] = await ctx.db.query<{ outcome: string }>('select buy_replacement($1, $2, $3, $4, $5) as outcome', [
    connectionId,
    id,
    username,
    passwordEncrypted,
    passwordHash,
  ]);
  return row!.outcome;
}

export async function finishWithoutPurchase(ctx: Ctx, connectionId: string): Promise<void> {
  await ctx.db.query('update replacements set finished_at = now() where connection_id = $1', [connectionId]);
}

export interface Replaced {
  userId: string;
  payerAccountId: bigint;
  /** The one that was sold. */
  ip: string;
  priceMicros: bigint;
  chargedMegabytes: bigint;
}

export async function findReplaced(ctx: Ctx, connectionId: string): Promise<Replaced> {
  const [row] = await ctx.db.query<Replaced>(
    `select user_id as "userId", payer_account_id as "payerAccountId", host(address) as ip, price_micros as "priceMicros",
            charged_megabytes as "chargedMegabytes"
       from connections where id = $1`,
    [connectionId],
  );
  return row!;
}

/** Replacements whose connections were closed by a process of the previous release. */
export async function findUnfinished(ctx: Ctx, limit: number): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `select id from replacements join connections on id = connection_id
      where finished_at is null and status <> 'WORK' order by requested_at limit $1`,
    [limit],
  );
  return rows.map((row) => row.id);
}

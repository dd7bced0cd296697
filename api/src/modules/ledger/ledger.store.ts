import type { Ctx } from '../../ctx.ts';
import type { Balance, Refund, Transfer } from './ledger.service.ts';

export async function insertAccount(ctx: Ctx): Promise<bigint> {
  const [row] = await ctx.db.query<{ id: bigint }>("insert into accounts (kind) values ('USER') returning id");
  return row!.id;
}

export function findBalances(ctx: Ctx, accountIds: readonly bigint[]): Promise<Balance[]> {
  return ctx.db.query(
    `select id as "accountId", balance_micros as "balanceMicros", held_micros as "heldMicros"
       from accounts where id = any($1::bigint[])`,
    [accountIds],
  );
}

/**
 * What an account has received from another one for these reasons, less what it has returned. Both directions are found by the account
 * that is credited: a customer's debits include all their megabytes.
 */
export async function sumReceived(
  ctx: Ctx,
  accountId: bigint,
  fromAccountId: bigint,
  reasons: readonly Transfer['reason'][],
): Promise<bigint> {
  const [row] = await ctx.db.query<{ micros: bigint }>(
    `select coalesce(sum(case credit_account_id when $1 then amount_micros else -amount_micros end), 0)::bigint as micros
       from transfers
      where (credit_account_id = $1 and debit_account_id = $2 or credit_account_id = $2 and debit_account_id = $1)
        and reason = any($3)`,
    [accountId, fromAccountId, reasons],
  );
  return row!.micros;
}

export function findTransfers(ctx: Ctx, idempotencyKeys: readonly string[]): Promise<Transfer[]> {
  return ctx.db.query(
    `select idempotency_key as "idempotencyKey", debit_account_id as "debitAccountId", credit_account_id as "creditAccountId",
            amount_micros as "amountMicros", reason
       from transfers where idempotency_key = any($1)`,
    [idempotencyKeys],
  );
}

/** Locks in the order of ids, to prevent deadlocks. */
export function lockAccounts(ctx: Ctx, accountIds: readonly bigint[]): Promise<Balance[]> {
  return ctx.db.query(
    `select id as "accountId", balance_micros as "balanceMicros", held_micros as "heldMicros"
       from accounts where id = any($1::bigint[]) order by id for no key update`,
    [accountIds],
  );
}

/** Posts the transfers with new idempotency keys (api/sql/post_transfers.sql). @returns the new keys */
export async function postTransfers(ctx: Ctx, transfers: readonly Transfer[]): Promise<string[]> {
  const [row] = await ctx.db.query<{ keys: string[] }>('select post_transfers($1, $2, $3, $4, $5) as keys', [
    transfers.map((transfer) => transfer.idempotencyKey),
    transfers.map((transfer) => transfer.debitAccountId),
    transfers.map((transfer) => transfer.creditAccountId),
    transfers.map((transfer) => transfer.amountMicros),
    transfers.map((transfer) => transfer.reason),
  ]);
  return row!.keys;
}

/** Posts a refund (api/sql/refund_megabytes.sql). @returns false if the connection does not exist */
export async function refundMegabytes(ctx: Ctx, { connectionId, megabytes }: Refund): Promise<boolean> {
  const [row] = await ctx.db.query<{ isDone: boolean }>('select refund_megabytes($1, $2, $3) as "isDone"', [
    connectionId,
    megabytes.from,
    megabytes.to,
  ]);
  return row!.isDone;
}

/** @returns false if the account does not exist */
export async function releaseHold(ctx: Ctx, accountId: bigint, micros: bigint): Promise<boolean> {
  const [row] = await ctx.db.query<{ isDone: boolean }>('select release_hold($1, $2) as "isDone"', [accountId, micros]);
  return row!.isDone;
}

import type { ConnectionStatus, EndReason } from '@cellhop/contract/connections';
import type { ChargeKind } from '@cellhop/contract/receipts';
import type { Ctx } from '../../ctx.ts';

export interface ReceiptRow {
  id: string;
  userId: string;
  escrowAccountId: bigint;
  ip: string;
  priceMicros: bigint;
  status: ConnectionStatus;
  endReason: EndReason | null;
  /** All times are texts in the exact format that is hashed. */
  createdAt: string;
  endedAt: string | null;
  issuedAt: string;
  usedBytes: bigint;
  uploadedBytes: bigint;
  chargeCount: number;
}

/** One statement, so that totals, status and number of charges are consistent. */
export async function findReceipt(ctx: Ctx, connectionId: string): Promise<ReceiptRow | undefined> {
  const [row] = await ctx.db.query<ReceiptRow>(
    `select connections.id, user_id as "userId", escrow_account_id as "escrowAccountId", host(coalesce(address, ip)) as ip,
            connections.price_micros as "priceMicros", status, end_reason as "endReason",
            charge_time(connections.created_at) as "createdAt", charge_time(ended_at) as "endedAt",
            charge_time(now()) as "issuedAt", used_bytes as "usedBytes", uploaded_bytes as "uploadedBytes",
            charge_count as "chargeCount"
       from connections join readable_proxies as proxies on proxies.id = proxy_id
      where connections.id = $1`,
    [connectionId],
  );
  return row;
}

export interface ChargeRow {
  kind: ChargeKind;
  chargedAt: string;
  /** Counted from 0, inclusive; null for a refund. */
  megabyteFrom: bigint | null;
  megabyteTo: bigint | null;
  amountMicros: bigint;
  uploadedBytes: bigint;
  downloadedBytes: bigint;
  hash: string;
}

const SELECT_CHARGE = `
  select reason as kind, charge_time(created_at) as "chargedAt", megabyte_from as "megabyteFrom",
         megabyte_to as "megabyteTo", amount_micros as "amountMicros", uploaded_bytes as "uploadedBytes",
         downloaded_bytes as "downloadedBytes", encode(charge_hash, 'hex') as hash
    from readable_transfers`;

/**
 * The charges paid to a connection's escrow account, ordered by megabyte, which is the order of the charges.
 * @param after `megabyteFrom` of the last charge of the previous page; null for the first page
 */
export function listPaidCharges(
  ctx: Ctx,
  escrowAccountId: bigint,
  after: bigint | null,
  limit: number,
): Promise<ChargeRow[]> {
  return ctx.db.query(
    `${SELECT_CHARGE} where credit_account_id = $1 and megabyte_from > coalesce($2::bigint, -1)
      order by megabyte_from limit $3`,
    [escrowAccountId, after, limit],
  );
}

export function listRefunds(ctx: Ctx, escrowAccountId: bigint, limit: number): Promise<ChargeRow[]> {
  return ctx.db.query(`${SELECT_CHARGE} where debit_account_id = $1 and reason = 'REFUND' order by id limit $2`, [
    escrowAccountId,
    limit,
  ]);
}

/** A page of all charges with their numbers, newest first. One statement, so that charges and numbers are consistent. */
export function listNewestCharges(
  ctx: Ctx,
  escrowAccountId: bigint,
  { limit, offset }: { limit: number; offset: number },
): Promise<(ChargeRow & { number: number })[]> {
  return ctx.db.query(
    `with newest as (
       (${SELECT_CHARGE} where debit_account_id = $1 and reason = 'REFUND')
       union all
       (${SELECT_CHARGE} where credit_account_id = $1 and megabyte_from is not null
         order by megabyte_from desc limit $2::bigint + $3::bigint)
     )
     select newest.*,
            (charge_count + 1 - row_number() over (order by "megabyteFrom" desc nulls first))::int as number
       from newest cross join connections where escrow_account_id = $1
      order by number desc limit $2 offset $3`,
    [escrowAccountId, limit, offset],
  );
}

export interface CostStepRow {
  chargedAt: string;
  /** Total paid megabytes. */
  megabyteTo: bigint;
}

/**
 * A sample of charges, evenly spread over the paid megabytes and including the last. Each is looked up by index. After a full refund
 * no megabyte is paid, but the purchase is still part of the sample.
 */
export function listCostSteps(ctx: Ctx, escrowAccountId: bigint, count: number): Promise<CostStepRow[]> {
  return ctx.db.query(
    `select distinct on (charge.megabyte_to) charge_time(charge.created_at) as "chargedAt",
            charge.megabyte_to as "megabyteTo"
       from connections
      cross join generate_series(1, $2::bigint) as step
      cross join lateral (
        select created_at, megabyte_to from readable_transfers
         where credit_account_id = $1 and megabyte_from < (greatest(charged_megabytes, 1) * step + $2 - 1) / $2
         order by megabyte_from desc limit 1
      ) as charge
      where escrow_account_id = $1
      order by charge.megabyte_to`,
    [escrowAccountId, count],
  );
}

export interface KeyRow {
  keyId: string;
  publicKey: Buffer;
}

/** Newest first. */
export function listKeys(ctx: Ctx): Promise<KeyRow[]> {
  return ctx.db.query(
    'select key_id as "keyId", public_key as "publicKey" from receipt_keys order by created_at desc, key_id',
  );
}

export async function insertKey(ctx: Ctx, keyId: string, publicKey: Buffer): Promise<void> {
  await ctx.db.query('insert into receipt_keys (key_id, public_key) values ($1, $2) on conflict do nothing', [
    keyId,
    publicKey,
  ]);
}

import type { ConnectionStatus, EndReason } from '@cellhop/contract/connections';
import type { TransactionKind } from '@cellhop/contract/transactions.values';
import type { Ctx } from '../../ctx.ts';
import type { NotificationRow } from '../notifications/notifications.service.ts';

/** Rows before a time, and those with the same time and a lower id. Each statement reads one index of the user. */
export interface Position {
  /** Since 1970. */
  micros: bigint;
  id: string;
}

interface Row {
  id: string;
  micros: bigint;
}

const MOMENT = `timestamptz 'epoch' + $2::bigint * interval '1 microsecond'`;

/** The part of a statement that selects rows of a column before the position; the first four parameters are its own. */
const before = (column: string, id = 'id::text') => `
  ${column} <= ${MOMENT} and (${column}, ${id}) < (${MOMENT}, $3::text)
  order by ${column} desc, ${id} desc limit $4`;
const epochMicros = (column: string) => `(extract(epoch from ${column}) * 1000000)::bigint as micros`;

const toValues = (userId: string | bigint, { micros, id }: Position, limit: number) => [userId, micros, id, limit];

export interface AuditRow extends Row {
  action: string;
  actorId: string | null;
  actorEmail: string | null;
  reason: string | null;
  ip: string | null;
  device: string | null;
}

/** @param isByStaff actions of others on the account, or those of the user and of unknown requesters */
export function listAudit(
  ctx: Ctx,
  userId: string,
  isByStaff: boolean,
  position: Position,
  limit: number,
): Promise<AuditRow[]> {
  return ctx.db.query(
    `select log.id::text as id, ${epochMicros('log.created_at')}, action, actor_id as "actorId", users.email as "actorEmail",
            details ->> 'reason' as reason, host(ip) as ip, device
       from (select * from readable_audit_log
              where subject_type = 'USER' and subject_id = $1 and coalesce(actor_id <> subject_id, false) = $5
                and ${before('created_at')}) as log
       left join readable_users as users on users.id = log.actor_id
      order by log.created_at desc, log.id::text desc`,
    [...toValues(userId, position, limit), isByStaff],
  );
}

export interface MoneyRow extends Row {
  transaction: TransactionKind;
  amountMicros: bigint;
}

/**
 * Credits of an account that belong to no connection, and what staff took from it: those are found by the account that they went to,
 * because a customer has a debit for each megabyte.
 */
export function listMoney(
  ctx: Ctx,
  { accountId, adjustmentAccountId }: { accountId: bigint; adjustmentAccountId: bigint },
  kinds: readonly TransactionKind[],
  position: Position,
  limit: number,
): Promise<MoneyRow[]> {
  return ctx.db.query(
    `select id::text as id, ${epochMicros('created_at')}, reason as transaction, amount_micros as "amountMicros"
       from (select id, created_at, reason, amount_micros from readable_transfers
              where credit_account_id = $1 and megabyte_from is null and reason = any($5::transfer_reason[])
             union all
             select id, created_at, reason, -amount_micros from readable_transfers
              where credit_account_id = $6 and megabyte_from is null and debit_account_id = $1) as transfer
      where ${before('created_at')}`,
    [...toValues(accountId, position, limit), kinds, adjustmentAccountId],
  );
}

export interface ConnectionRow extends Row {
  ip: string;
  status: ConnectionStatus;
  endReason: EndReason | null;
  priceMicros: bigint;
  chargedMegabytes: bigint;
  staffRefundedMicros: bigint;
  usedBytes: bigint;
}

/** @param column by purchase or by end */
export function listConnections(
  ctx: Ctx,
  userId: string,
  column: 'created_at' | 'ended_at',
  position: Position,
  limit: number,
): Promise<ConnectionRow[]> {
  return ctx.db.query(
    `select page.id, ${epochMicros(`page.${column}`)}, host(address) as ip, status, end_reason as "endReason",
            price_micros as "priceMicros", charged_megabytes as "chargedMegabytes",
            staff_refunded_micros as "staffRefundedMicros", used_bytes as "usedBytes"
       from (select * from readable_connections where user_id = $1 and ${before(column)}) as page
      order by page.${column} desc, page.id::text desc`,
    toValues(userId, position, limit),
  );
}

export interface TicketRow extends Row {
  name: string;
}

export function listTickets(ctx: Ctx, userId: string, position: Position, limit: number): Promise<TicketRow[]> {
  return ctx.db.query(
    `select id, ${epochMicros('created_at')}, name from readable_tickets where user_id = $1 and ${before('created_at')}`,
    toValues(userId, position, limit),
  );
}

export function listNotifications(
  ctx: Ctx,
  userId: string,
  position: Position,
  limit: number,
): Promise<(NotificationRow & Row)[]> {
  return ctx.db.query(
    `select id, ${epochMicros('created_at')}, kind, details, texts, created_at as "createdAt", read_at is not null as "isRead"
       from readable_notifications where user_id = $1 and ${before('created_at')}`,
    toValues(userId, position, limit),
  );
}

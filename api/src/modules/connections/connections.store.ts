import type { ConnectionStatus, EndReason, RefundStatus } from '@cellhop/contract/connections';
import type { Place } from '@cellhop/contract/places.values';
import pg from 'pg';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import { selectPlace } from '../../db/place-columns.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';
import type { LimitsRow } from '../proxies/limits.service.ts';
import { type RotationRow, SELECT_ROTATION } from '../rotation/rotation.service.ts';

export interface ConnectionRow extends LimitsRow, RotationRow, Place {
  id: string;
  userId: string;
  userEmail: string;
  priceMicros: bigint;
  chargedMegabytes: bigint;
  usedBytes: bigint;
  status: ConnectionStatus;
  refundStatus: RefundStatus;
  staffRefundedMicros: bigint;
  endReason: EndReason | null;
  username: string;
  passwordEncrypted: Buffer;
  dnsPort: number | null;
  /** The host of the exit's node. Host and port are null if those of the settings apply. */
  publicHost: string | null;
  publicPort: number | null;
  /** Of that node; null: it serves no https proxies. */
  certificateNames: string[] | null;
  certificateEndsAt: Date | null;
  createdAt: Date;
  /** Of the first connection that this one replaces; null: it replaces none. */
  firstBoughtAt: Date | null;
  syncedAt: Date | null;
  endedAt: Date | null;
  ip: string;
  /** The address of now, as far as it is known. */
  currentIp: string | null;
  /** Of the link that changes its address, encrypted; null without one. */
  rotationSecret: Buffer | null;
  /** Of the timer that changes it. */
  everyMinutes: number | null;
  /** Null without one. */
  label: string | null;
  capMegabytes: bigint | null;
  refusalReason: string | null;
  refusedAt: Date | null;
}

/** Where the checks see no public address, as in the demo, the last that a change has brought. */
const CURRENT_IP = 'host(coalesce(checks.seen_address, rotation.last_address))';

export const SELECT_ROW = `
  select connections.id, user_id as "userId", email as "userEmail", connections.price_micros as "priceMicros",
         charged_megabytes as "chargedMegabytes", used_bytes as "usedBytes", connections.status,
         refund_status as "refundStatus", staff_refunded_micros as "staffRefundedMicros", end_reason as "endReason", username,
         password_encrypted as "passwordEncrypted", dns_port as "dnsPort", public_host as "publicHost",
         public_port as "publicPort", certificate_names as "certificateNames", certificate_ends_at as "certificateEndsAt", connections.created_at as "createdAt", first_bought_at as "firstBoughtAt", synced_at as "syncedAt",
         ended_at as "endedAt", host(connections.address) as ip, ${selectPlace()}, label, cap_megabytes as "capMegabytes",
         last_refusals.reason as "refusalReason", refused_at as "refusedAt",
         port_rule as "portRule", tunnels_max as "tunnelsMax", bytes_per_second_max as "bytesPerSecondMax", ${SELECT_ROTATION}, ${CURRENT_IP} as "currentIp",
         settings.secret_encrypted as "rotationSecret", every_minutes as "everyMinutes"
    from readable_connections as connections
    join connection_credentials as credentials on credentials.id = connections.id
    join readable_proxies as proxies on proxies.id = proxy_id
    join readable_users as users on users.id = user_id
    join readable_exits as exits on exits.id = connections.exit_id
    join exit_states as checks on checks.exit_id = connections.exit_id
    left join rotation_states as rotation on rotation.exit_id = connections.exit_id
    left join rotation_settings as settings on settings.connection_id = connections.id
    left join connection_labels as labels on labels.connection_id = connections.id
    left join last_refusals on last_refusals.connection_id = connections.id`;

export async function findConnection(ctx: Ctx, id: string): Promise<ConnectionRow | undefined> {
  const [row] = await ctx.db.query<ConnectionRow>(`${SELECT_ROW} where connections.id = $1`, [id]);
  return row;
}

export interface OwnFilter {
  id?: string | undefined;
  isActive?: boolean;
  /** A part of the texts that describe a connection, in any case. */
  search?: string | undefined;
}

const OWN_FILTER = `user_id = $1 and ($2::uuid is null or connections.id = $2)
     and (not $3 or connections.status = 'WORK')
     and ($4 = '' or strpos(lower(concat_ws(' ', host(connections.address), label, city, region, zip, isp, country_code)), $4) > 0)`;

function ownFilterValues(userId: string, { id, isActive = false, search = '' }: OwnFilter) {
  return [userId, id ?? null, isActive, search.trim().toLowerCase()];
}

/** A user's connections with the user's balance. One statement, so that costs and balance are from the same snapshot. */
export async function listConnections(
  ctx: Ctx,
  { userId, accountId }: Pick<Actor, 'userId' | 'accountId'>,
  filter: OwnFilter,
  page: PageQuery,
): Promise<{ rows: ConnectionRow[]; balanceMicros: bigint | undefined }> {
  const rows = await ctx.db.query<ConnectionRow & { balanceMicros: bigint }>(
    `select listed.*, accounts.balance_micros as "balanceMicros"
       from (${SELECT_ROW} where ${OWN_FILTER}) as listed
       join readable_accounts as accounts on accounts.id = $5
      order by "createdAt" desc, listed.id limit $6 offset $7`,
    [...ownFilterValues(userId, filter), accountId, page.size, toOffset(page)],
  );
  return { rows, balanceMicros: rows[0]?.balanceMicros };
}

/** The newest first. @param lastId of the previous page; null for the first one */
export function listLiveConnections(
  ctx: Ctx,
  userId: string,
  limit: number,
  lastId: string | null = null,
): Promise<ConnectionRow[]> {
  return ctx.db.query(
    `${SELECT_ROW}
      where user_id = $1 and connections.status = 'WORK'
        and ($3::uuid is null or (connections.created_at, connections.id) <
                                 (select created_at, id from readable_connections where id = $3))
      order by connections.created_at desc, connections.id desc limit $2`,
    [userId, limit, lastId],
  );
}

export async function countConnections(ctx: Ctx, userId: string, filter: OwnFilter): Promise<number> {
  const isSearched = (filter.search ?? '').trim() !== '';
  // Without a search no other table is needed, and a customer may have very many connections.
  const [row] = await ctx.db.query<{ count: number }>(
    isSearched
      ? `select count(*)::int as count from (${SELECT_ROW} where ${OWN_FILTER}) as listed`
      : `select count(*)::int as count from readable_connections as connections
          where user_id = $1 and ($2::uuid is null or id = $2) and (not $3 or status = 'WORK')`,
    isSearched ? ownFilterValues(userId, filter) : ownFilterValues(userId, filter).slice(0, 3),
  );
  return row!.count;
}

/** An empty label is removed. */
export async function saveLabel(ctx: Ctx, connectionId: string, label: string): Promise<void> {
  if (label === '') await ctx.db.query('delete from connection_labels where connection_id = $1', [connectionId]);
  else
    await ctx.db.query(
      `insert into connection_labels (connection_id, label) values ($1, $2)
       on conflict (connection_id) do update set label = excluded.label`,
      [connectionId, label],
    );
}

export interface Purchase {
  proxyId: string;
  priceMicros: bigint;
  userId: string;
  payerAccountId: bigint;
  idempotencyKey: string | null;
  /** The id of the new connection. */
  id: string;
  username: string;
  passwordEncrypted: Buffer;
  passwordHash: Buffer;
  /** The limit of the buyer. */
  openConnectionsMax: number;
  purchasesPerHour: number;
  /** Of the buyer; null if it is not known. */
  network: string | null;
}

/** The sold proxy, as in the catalogue, and the address of its node. */
type SoldProxy = Pick<
  ConnectionRow,
  | 'priceMicros'
  | 'ip'
  | 'currentIp'
  | keyof Place
  | 'publicHost'
  | 'publicPort'
  | 'certificateNames'
  | 'certificateEndsAt'
  | keyof LimitsRow
  | keyof RotationRow
>;

export type PurchaseOutcome =
  | ({ outcome: 'BOUGHT'; balanceMicros: bigint; createdAt: Date; dnsPort: number | null } & SoldProxy)
  | { outcome: 'REPLAYED'; connectionId: string }
  | { outcome: 'IDEMPOTENCY_KEY_REUSED' | 'PROXY_NOT_FOUND' | 'PRICE_CHANGED' | 'SMALL_BALANCE' | RefusingState }
  | { outcome: 'TOO_MANY_CONNECTIONS' | 'RATE_LIMITED'; retryAfterSeconds: number };

/** By SQLSTATE: of the trigger api/sql/refuse_blocked_buyer.sql, and lock_not_available. */
const refusingStates = { CHBLK: 'ACCOUNT_BLOCKED', '55P03': 'PROXY_BUSY' } as const;
type RefusingState = (typeof refusingStates)[keyof typeof refusingStates];

/** The refusals that abort the transaction of a purchase, so it goes around that. */
export function readRefusal(purchase: Promise<PurchaseOutcome>): Promise<PurchaseOutcome> {
  return purchase.catch((error: unknown) => {
    const code = error instanceof pg.DatabaseError ? error.code : undefined;
    if (code === 'CHBLK' || code === '55P03') return { outcome: refusingStates[code] };
    throw error;
  });
}

/** The whole purchase in one round trip. Its rules are in api/sql/buy_proxy.sql. */
export async function buyProxy(ctx: Ctx, purchase: Purchase): Promise<PurchaseOutcome> {
  const [row] = await ctx.db.query<PurchaseOutcome>(
    `with sale as (select * from buy_proxy($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     ), known as (
       insert into purchase_networks (connection_id, network)
       select connection_id, $12::text from sale where outcome = 'BOUGHT' and $12::text is not null
     )
     select sale.outcome, connection_id as "connectionId", created_at as "createdAt", dns_port as "dnsPort",
            balance_micros as "balanceMicros", (proxy).price_micros as "priceMicros", host((proxy).ip) as ip,
            ${selectPlace('(proxy).')}, retry_after_seconds as "retryAfterSeconds",
            public_host as "publicHost", public_port as "publicPort", certificate_names as "certificateNames", certificate_ends_at as "certificateEndsAt", (proxy).port_rule as "portRule",
            (proxy).tunnels_max as "tunnelsMax", (proxy).bytes_per_second_max as "bytesPerSecondMax",
            ${SELECT_ROTATION}, ${CURRENT_IP} as "currentIp"
       from sale
       left join readable_exits as exits on exits.id = (proxy).exit_id
       left join exit_states as checks on checks.exit_id = (proxy).exit_id
       left join rotation_states as rotation on rotation.exit_id = (proxy).exit_id`,
    [
      purchase.proxyId,
      purchase.priceMicros,
      purchase.userId,
      purchase.payerAccountId,
      purchase.idempotencyKey,
      purchase.id,
      purchase.username,
      purchase.passwordEncrypted,
      purchase.passwordHash,
      purchase.openConnectionsMax,
      purchase.purchasesPerHour,
      purchase.network,
    ],
  );
  return row!;
}

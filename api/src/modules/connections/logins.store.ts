import type { EndReason } from '@cellhop/contract/connections';
import type { ExitKind, ExitParameters } from '@cellhop/contract/exits';
import type { Ctx } from '../../ctx.ts';
import type { Position, SealedRow } from '../../secrets/sealing.ts';

export interface ExitOfLogin {
  exitId: string;
  exitKind: ExitKind;
  parameters: ExitParameters;
  /** Null: it needs none. */
  exitCredentials: Buffer | null;
  /** By the last check that asked a name server through it; null: nothing is known. */
  dnsWorks: boolean | null;
}

export interface OpenLoginRow extends ExitOfLogin {
  connectionId: string;
  passwordRevision: number;
  nodeId: string;
}

interface LoginRow extends OpenLoginRow {
  passwordHash: Buffer;
  /** Null if the connection is open and not ending. */
  endReason: EndReason | null;
}

const OPEN_LOGIN_COLUMNS = `
  connections.id as "connectionId", password_revision as "passwordRevision", exits.id as "exitId", exits.kind as "exitKind",
  parameters, node_id as "nodeId", credentials_encrypted as "exitCredentials", dns_works as "dnsWorks"`;

/** Finds connections that are open or have ended within these hours. Connections of blocked users count as ended. */
export async function findLogin(ctx: Ctx, username: string, endedHours: number): Promise<LoginRow | undefined> {
  const [row] = await ctx.db.query<LoginRow>(
    `select ${OPEN_LOGIN_COLUMNS}, password_hash as "passwordHash",
            coalesce(end_reason::text, ending_reason::text, case when users.status <> 'ACTIVE' then 'ADMIN' end) as "endReason"
       from connection_credentials as credentials
       join readable_connections as connections on connections.id = credentials.id
       join readable_users as users on users.id = user_id
       join readable_exits as exits on exits.id = connections.exit_id
       left join exit_credentials on exit_credentials.id = connections.exit_id
       left join exit_states on exit_states.exit_id = connections.exit_id
      where username = $1 and (ended_at is null or ended_at > now() - $2 * interval '1 hour')`,
    [username, endedHours],
  );
  return row;
}

/** `prefixBits`: the longest prefix of the connection's listed networks that contain the address. */
interface AddressLoginRow extends OpenLoginRow {
  prefixBits: number;
}

/** Finds open connections that list the address and that this node serves. @returns two at most, the most specific first */
export function findLoginsByAddress(
  ctx: Ctx,
  nodeId: string,
  address: string,
  connectionId: string | null,
): Promise<AddressLoginRow[]> {
  return ctx.db.query(
    `select ${OPEN_LOGIN_COLUMNS}, prefix_bits as "prefixBits"
       from (select connection_id, max(masklen(network)) as prefix_bits
               from allowed_networks where network >>= $1::inet group by connection_id) as listed
       join readable_connections as connections on connections.id = connection_id
       join readable_users as users on users.id = user_id
       join readable_exits as exits on exits.id = connections.exit_id
       left join exit_credentials on exit_credentials.id = connections.exit_id
       left join exit_states on exit_states.exit_id = connections.exit_id
      where connections.status = 'WORK' and ending_at is null and users.status = 'ACTIVE'
        and node_id = $2 and ($3::uuid is null or connections.id = $3)
      order by prefix_bits desc limit 2`,
    [address, nodeId, connectionId],
  );
}

/** The next rows by creation time. Skips the newest, because concurrent transactions may still add rows before them. */
export function listSealed(ctx: Ctx, { createdAt, id }: Position, limit: number): Promise<SealedRow[]> {
  return ctx.db.query(
    `select created_at::text as "createdAt", id, id::text as owner, password_encrypted as sealed from connection_credentials
      where (created_at, id) > ($1::timestamptz, $2::uuid) and created_at < now() - interval '1 minute'
      order by created_at, id limit $3`,
    [createdAt, id, limit],
  );
}

export async function countSealed(ctx: Ctx, { createdAt, id }: Position): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    'select count(*)::float8 as count from connection_credentials where (created_at, id) > ($1::timestamptz, $2::uuid)',
    [createdAt, id],
  );
  return row!.count;
}

export interface ResealedPassword {
  id: string;
  before: Buffer;
  encrypted: Buffer;
  hash: Buffer;
}

/** Skips locked rows (api/sql/reseal_passwords.sql). @returns the ids of the saved rows */
export async function saveSealed(ctx: Ctx, rows: readonly ResealedPassword[]): Promise<ReadonlySet<string>> {
  const saved = await ctx.db.query<{ id: string }>('select reseal_passwords($1, $2, $3, $4) as id', [
    rows.map((row) => row.id),
    rows.map((row) => row.before),
    rows.map((row) => row.encrypted),
    rows.map((row) => row.hash),
  ]);
  return new Set(saved.map((row) => row.id));
}

import type { Permission } from '@cellhop/contract/permissions';
import type { Ctx } from '../../ctx.ts';
import type { Position, SealedRow } from '../../secrets/sealing.ts';

export interface OwnerRow {
  email: string;
  permissions: Permission[];
  onSince: Date | null;
}

/** Locks the user, which serializes changes of their second factor with each other and with sign-ins. */
export async function lockOwner(ctx: Ctx, userId: string): Promise<OwnerRow> {
  const [row] = await ctx.db.query<OwnerRow>(
    `select users.email, roles.permissions, users.second_factor_at as "onSince"
       from users join roles on roles.name = users.role_name
      where users.id = $1 for no key update of users`,
    [userId],
  );
  return row!;
}

export interface StateRow {
  permissions: Permission[];
  onSince: Date | null;
  recoveryCodesLeft: number;
}

export async function findState(ctx: Ctx, userId: string): Promise<StateRow> {
  const [row] = await ctx.db.query<StateRow>(
    `select roles.permissions, users.second_factor_at as "onSince",
            (select count(*)::int from recovery_codes
              where recovery_codes.user_id = users.id and used_at is null) as "recoveryCodesLeft"
       from users join roles on roles.name = users.role_name where users.id = $1`,
    [userId],
  );
  return row!;
}

/** Replaces a secret that was set up but never enabled. */
export async function saveSecret(ctx: Ctx, userId: string, secretEncrypted: Buffer): Promise<void> {
  await ctx.db.query(
    `insert into second_factors (user_id, secret_encrypted) values ($1, $2)
     on conflict (user_id) do update set secret_encrypted = excluded.secret_encrypted, created_at = now(), last_step = 0`,
    [userId, secretEncrypted],
  );
}

export interface SecretRow {
  secretEncrypted: Buffer;
  ageMs: number;
}

export async function findSecret(ctx: Ctx, userId: string): Promise<SecretRow | undefined> {
  const [row] = await ctx.db.query<SecretRow>(
    `select secret_encrypted as "secretEncrypted", (extract(epoch from now() - created_at) * 1000)::float8 as "ageMs"
       from second_factors where user_id = $1`,
    [userId],
  );
  return row;
}

/** @returns false if a code of this or a later step was already used */
export async function spendStep(ctx: Ctx, userId: string, step: number): Promise<boolean> {
  const rows = await ctx.db.query(
    'update second_factors set last_step = $2 where user_id = $1 and last_step < $2 returning user_id',
    [userId, step],
  );
  return rows.length > 0;
}

export async function enableSecondFactor(ctx: Ctx, userId: string): Promise<void> {
  await ctx.db.query('update users set second_factor_at = now(), updated_at = now() where id = $1', [userId]);
}

export async function disableSecondFactor(ctx: Ctx, userId: string): Promise<void> {
  await ctx.db.query('update users set second_factor_at = null, updated_at = now() where id = $1', [userId]);
  // Deletes the recovery codes too (on delete cascade).
  await ctx.db.query('delete from second_factors where user_id = $1', [userId]);
}

export async function replaceRecoveryCodes(
  ctx: Ctx,
  userId: string,
  hashes: readonly Buffer[],
  keyId: string,
): Promise<void> {
  await ctx.db.query('delete from recovery_codes where user_id = $1', [userId]);
  await ctx.db.query('insert into recovery_codes (user_id, code_hash, key_id) select $1, unnest($2::bytea[]), $3', [
    userId,
    hashes,
    keyId,
  ]);
}

/** @param codeHashes one hash per key. @returns false if there is no such code or it was already used */
export async function spendRecoveryCode(ctx: Ctx, userId: string, codeHashes: readonly Buffer[]): Promise<boolean> {
  const rows = await ctx.db.query(
    `update recovery_codes set used_at = now()
      where user_id = $1 and code_hash = any($2::bytea[]) and used_at is null returning user_id`,
    [userId, codeHashes],
  );
  return rows.length > 0;
}

/** The next rows by creation time. Skips the newest, because concurrent transactions may still add rows before them. */
export function listSealed(ctx: Ctx, { createdAt, id }: Position, limit: number): Promise<SealedRow[]> {
  return ctx.db.query(
    `select created_at::text as "createdAt", user_id as id, user_id::text as owner, secret_encrypted as sealed
       from second_factors
      where (created_at, user_id) > ($1::timestamptz, $2::uuid) and created_at < now() - interval '1 minute'
      order by created_at, user_id limit $3`,
    [createdAt, id, limit],
  );
}

export async function countSealed(ctx: Ctx, { createdAt, id }: Position): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    'select count(*)::float8 as count from second_factors where (created_at, user_id) > ($1::timestamptz, $2::uuid)',
    [createdAt, id],
  );
  return row!.count;
}

export interface ResealedSecret {
  id: string;
  before: Buffer;
  encrypted: Buffer;
}

/** Skips locked rows. @returns the ids of the saved rows */
export async function saveSealed(ctx: Ctx, rows: readonly ResealedSecret[]): Promise<ReadonlySet<string>> {
  const saved = await ctx.db.query<{ id: string }>(
    `with change as (
       select * from unnest($1::uuid[], $2::bytea[], $3::bytea[]) as change (id, before, encrypted)
     ), free as (
       select user_id from second_factors join change on change.id = user_id and before = secret_encrypted
          for no key update of second_factors skip locked
     )
     update second_factors set secret_encrypted = encrypted
       from change join free on free.user_id = change.id
      where second_factors.user_id = change.id
      returning second_factors.user_id as id`,
    [rows.map((row) => row.id), rows.map((row) => row.before), rows.map((row) => row.encrypted)],
  );
  return new Set(saved.map((row) => row.id));
}

/** Counts unused codes of users with two-factor sign-in. */
export async function countRecoveryCodesOfOlderKeys(ctx: Ctx, keyId: string): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::float8 as count from recovery_codes join users on users.id = user_id
      where used_at is null and key_id is distinct from $1 and second_factor_at is not null`,
    [keyId],
  );
  return row!.count;
}

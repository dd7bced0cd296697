import type { Permission } from '@cellhop/contract/permissions';
import type { Ctx } from '../../ctx.ts';

export interface RoleRow {
  name: string;
  permissions: Permission[];
  version: number;
}

export interface ListedRoleRow extends RoleRow {
  usersCount: number;
}

const COLUMNS = 'name, permissions, version';

/** All roles by name, each with at most `countedMax` of its users. */
export function listRoles(ctx: Ctx, countedMax: number): Promise<ListedRoleRow[]> {
  return ctx.db.query(
    `select ${COLUMNS},
            (select count(*)::int from (
               select from users where role_name = roles.name and status <> 'DELETED' limit $1
             ) as counted) as "usersCount"
       from roles order by name`,
    [countedMax],
  );
}

export async function findRole(ctx: Ctx, name: string): Promise<RoleRow | undefined> {
  const [row] = await ctx.db.query<RoleRow>(`select ${COLUMNS} from roles where name = $1`, [name]);
  return row;
}

export async function countRoles(ctx: Ctx): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>('select count(*)::int as count from roles');
  return row!.count;
}

/** @returns false if a role has this name */
export async function insertRole(ctx: Ctx, name: string, permissions: readonly Permission[]): Promise<boolean> {
  const rows = await ctx.db.query(
    'insert into roles (name, permissions) values ($1, $2) on conflict (name) do nothing returning name',
    [name, permissions],
  );
  return rows.length > 0;
}

export async function updateRole(ctx: Ctx, name: string, permissions: readonly Permission[]): Promise<void> {
  await ctx.db.query('update roles set permissions = $2, version = version + 1 where name = $1', [name, permissions]);
}

/** @returns false if somebody has the role */
export async function deleteRole(ctx: Ctx, name: string): Promise<boolean> {
  const rows = await ctx.db.query(
    `delete from roles where name = $1 and not exists (select from users where role_name = $1) returning name`,
    [name],
  );
  return rows.length > 0;
}

/**
 * Serializes all changes of permissions until the end of the transaction: roles, their permissions, and the status of users.
 * The next statement then sees what the previous change committed. ADMIN always exists.
 */
export async function lockRoles(ctx: Ctx): Promise<void> {
  await ctx.db.query(`select from roles where name = 'ADMIN' for no key update`);
}

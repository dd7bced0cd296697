import type { ConnectionStatus } from '@cellhop/contract/connections';
import type { ConnectionSort } from '@cellhop/contract/staff/lists.values';
import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';
import { SELECT_ROW, type ConnectionRow } from './connections.store.ts';

/** All given conditions hold. */
export interface ConnectionFilter {
  id?: string | undefined;
  username?: string | undefined;
  userId?: string | undefined;
  status?: ConnectionStatus | undefined;
  /** The name of the gateway. */
  node?: string | undefined;
  ip?: string | undefined;
  /** Open at this time. */
  at?: string | undefined;
  /** An address of a client. */
  client?: string | undefined;
  /** Inclusive. */
  createdFrom?: string | undefined;
  /** Exclusive. */
  createdTo?: string | undefined;
  /** Those after this connection in the default order. */
  afterId?: string | null | undefined;
}

/** One text for each combination, so that each gets the plan for its indexes. */
function toConditions(filter: ConnectionFilter) {
  const { id, username, userId, status, node, ip, at, client, createdFrom, createdTo, afterId } = filter;
  const values: unknown[] = [];
  const conditions: string[] = [];
  const add = (value: unknown, condition: (parameter: string) => string) => {
    if (value === undefined || value === null) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  add(id, (parameter) => `id = ${parameter}`);
  add(username, (parameter) => `id = (select id from connection_credentials where username = ${parameter})`);
  add(userId, (parameter) => `user_id = ${parameter}`);
  add(status, (parameter) => `status = ${parameter}`);
  add(node, (parameter) => `exit_id in (select id from readable_exits where node_name = ${parameter})`);
  add(at, (parameter) => `created_at <= ${parameter} and (ended_at is null or ended_at > ${parameter})`);
  const then =
    at === undefined ? '' : `and since <= $${values.length} and (until is null or until > $${values.length})`;
  add(
    ip,
    (parameter) => `id in (select connection_id from connection_addresses where address = ${parameter}::inet ${then})`,
  );
  add(client, (parameter) => `id in (select connection_id from client_addresses where address = ${parameter}::inet)`);
  add(createdFrom, (parameter) => `created_at >= ${parameter}`);
  add(createdTo, (parameter) => `created_at < ${parameter}`);
  add(afterId, (parameter) => {
    const moment = `(select created_at from readable_connections where id = ${parameter})`;
    return `created_at <= ${moment} and (created_at < ${moment} or id > ${parameter})`;
  });
  return { where: conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`, values };
}

/** Selects the page by its keys first, so that only its rows are joined. */
export function listForStaff(
  ctx: Ctx,
  filter: ConnectionFilter,
  sort: ConnectionSort,
  page: PageQuery,
): Promise<ConnectionRow[]> {
  const { where, values } = toConditions(filter);
  const order = sort === 'createdAt' ? 'created_at, id desc' : 'created_at desc, id';
  const limit = values.length + 1;
  return ctx.db.query(
    `${SELECT_ROW}
      where connections.id in (
        select id from readable_connections ${where} order by ${order} limit $${limit} offset $${limit + 1})
      order by ${order.replaceAll(/created_at|id/g, 'connections.$&')}`,
    [...values, page.size, toOffset(page)],
    { isPrepared: false },
  );
}

export async function countForStaff(ctx: Ctx, filter: ConnectionFilter, limit: number): Promise<number> {
  const { where, values } = toConditions(filter);
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count from (select from readable_connections ${where} limit $${values.length + 1}) as listed`,
    [...values, limit],
    { isPrepared: false },
  );
  return row!.count;
}

export function listOpenOfNode(ctx: Ctx, node: string): Promise<{ id: string; userId: string }[]> {
  return ctx.db.query(
    `select id, user_id as "userId" from readable_connections
      where status = 'WORK' and exit_id in (select id from readable_exits where node_name = $1) order by created_at`,
    [node],
  );
}

export function findOwners(ctx: Ctx, ids: readonly string[]): Promise<{ id: string; userId: string }[]> {
  return ctx.db.query('select id, user_id as "userId" from readable_connections where id = any($1)', [ids]);
}

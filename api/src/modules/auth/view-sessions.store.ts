import type { Ctx } from '../../ctx.ts';

export interface NewView {
  id: string;
  viewerId: string;
  viewerSessionId: string;
  userId: string;
  lifetimeMs: number;
}

export interface ViewTimes {
  startedAt: Date;
  expiredAt: Date;
}

export async function insertView(ctx: Ctx, view: NewView): Promise<ViewTimes> {
  const [row] = await ctx.db.query<ViewTimes>(
    `insert into view_sessions (id, viewer_id, viewer_session_id, user_id, expired_at)
     values ($1, $2, $3, $4, now() + $5::float8 * interval '1 millisecond')
     returning created_at as "startedAt", expired_at as "expiredAt"`,
    [view.id, view.viewerId, view.viewerSessionId, view.userId, view.lifetimeMs],
  );
  return row!;
}

export interface ViewKey {
  id: string;
  viewerId: string;
  userId: string;
}

/** @returns the session of the viewer's own sign-in; undefined if the view has ended */
export async function findOpenView(ctx: Ctx, { id, viewerId, userId }: ViewKey): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ viewerSessionId: string }>(
    `select viewer_session_id as "viewerSessionId" from view_sessions
      where id = $1 and viewer_id = $2 and user_id = $3 and ended_at is null and expired_at > now()`,
    [id, viewerId, userId],
  );
  return row?.viewerSessionId;
}

/** @returns undefined if it is not an open view of this member of staff */
export async function endView(
  ctx: Ctx,
  { id, viewerId }: Pick<ViewKey, 'id' | 'viewerId'>,
): Promise<{ userId: string; endedAt: Date } | undefined> {
  const [row] = await ctx.db.query<{ userId: string; endedAt: Date }>(
    `update view_sessions set ended_at = clock_timestamp()
      where id = $1 and viewer_id = $2 and ended_at is null and expired_at > now()
     returning user_id as "userId", ended_at as "endedAt"`,
    [id, viewerId],
  );
  return row;
}

export async function deleteExpiredViews(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from view_sessions where id in (
       select id from view_sessions where expired_at < now() - interval '1 day' order by expired_at limit $1
     ) returning id`,
    [limit],
  );
  return rows.length;
}

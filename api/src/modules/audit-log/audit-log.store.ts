import type { Ctx } from '../../ctx.ts';

export interface NewEntry {
  action: string;
  actorId: string | null;
  subjectType: string | null;
  subjectId: string | null;
  /** The affected user, such as the payer of an invoice. */
  userId: string | null;
  ip: string | null;
  device: string | null;
  requestId: string | null;
  details: object;
}

export async function insertEntry(ctx: Ctx, entry: NewEntry): Promise<void> {
  await ctx.db.query(
    `insert into audit_log (action, actor_id, subject_type, subject_id, user_id, ip, device, request_id, details)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      entry.action,
      entry.actorId,
      entry.subjectType,
      entry.subjectId,
      entry.userId,
      entry.ip,
      entry.device,
      entry.requestId,
      JSON.stringify(entry.details),
    ],
  );
}

export async function deleteOld(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from audit_log where id in (
       select id from audit_log where created_at <= now() - interval '365 days' order by created_at limit $1
     ) returning id`,
    [limit],
  );
  return rows.length;
}

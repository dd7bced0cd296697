import type { Ctx } from '../../ctx.ts';

/** A copy of the database at another server, or at another time of the same one, differs in at least one of these. */
export interface DatabaseState {
  systemId: string;
  timeline: number;
  /** What is on its disk: a position in its log, which only grows (`pg_lsn`). */
  position: string;
}

export async function readDatabaseState(ctx: Ctx): Promise<DatabaseState> {
  const [row] = await ctx.db.query<DatabaseState>(
    `select (select system_identifier::text from pg_control_system()) as "systemId",
            (select timeline_id from pg_control_checkpoint()) as timeline, pg_current_wal_flush_lsn()::text as position`,
  );
  return row!;
}

/** The caller has found the database complete. */
export async function saveWitnessTime(ctx: Ctx): Promise<void> {
  await ctx.db.query(
    `insert into witness_time (seen_at) values (now()) on conflict (is_only) do update set seen_at = excluded.seen_at`,
  );
}

export async function readWitnessTime(ctx: Ctx): Promise<Date | undefined> {
  const [row] = await ctx.db.query<{ seenAt: Date }>('select seen_at as "seenAt" from witness_time');
  return row?.seenAt;
}

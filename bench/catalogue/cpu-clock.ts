import { readFileSync } from 'node:fs';
import type { Ctx } from '../../api/src/ctx.ts';

/**
 * The CPU time of this database's server processes, in milliseconds. Unlike elapsed time it does not depend on the load of
 * the machine. Linux only; NaN on other systems.
 */
export async function openCpuClock(ctx: Ctx): Promise<() => number> {
  const rows = await ctx.db.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'",
  );
  return () => rows.reduce((sum, { pid }) => sum + readCpuMs(pid), 0);
}

function readCpuMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return Number.NaN;
  }
}

/** Connections that a run reports. After a restore of the database, a run may carry some that it never opened in this database. */
import type { Ctx } from '../../ctx.ts';
import { insertCarried } from './runs.store.ts';
import type { ReportKind } from './usage-reports.service.ts';
import { findMetered, type MeteredConnection } from './usage-reports.store.ts';

interface Carried {
  rows: MeteredConnection[];
  /** The ids of those that the run is to open now. */
  adopted: ReadonlySet<string>;
}

export async function findCarried(ctx: Ctx, runId: string, ids: readonly string[], kind: ReportKind): Promise<Carried> {
  const rows = await findMetered(ctx, runId, ids);
  const unopened = rows.filter(({ isRunOpen }) => isRunOpen === null).map(({ id }) => id);
  if (unopened.length === 0) return { rows, adopted: new Set() };
  await insertCarried(ctx, runId, unopened);
  return { rows: await findMetered(ctx, runId, ids), adopted: new Set(kind === 'report' ? unopened : []) };
}

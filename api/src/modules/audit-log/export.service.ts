/** CSV exports of staff's lists: limited, recorded before the first row is sent, and streamed in batches. */
import { csvCell } from '@cellhop/contract/csv.values';
import { AppError } from '@cellhop/contract/errors';
import { EXPORT_ROWS_MAX } from '@cellhop/contract/limits';
import type { AuditAction, SubjectType } from '@cellhop/contract/staff/audit-log.values';
import type { Actor } from '../../http/actor.ts';
import type { Requester } from '../../http/requester.ts';
import type { TextStream } from '../../http/route.ts';
import type { Ctx } from '../../ctx.ts';
import { record } from './audit-log.service.ts';

/** As many rows are in memory while a client reads slowly. */
const BATCH_ROWS = 500;

type Cell = string | number | boolean | null;

export interface ListExport<Row extends { id: string }> {
  action: AuditAction;
  subjectType?: SubjectType;
  fileName: string;
  filter: Readonly<Record<string, unknown>>;
  /** Counts at most `limit` rows. */
  count: (limit: number) => Promise<number>;
  /** The rows after one with this id; null: the first ones. */
  list: (afterId: string | null, limit: number) => Promise<readonly Row[]>;
  columns: Readonly<Record<string, (row: Row) => Cell>>;
}

/** @throws AppError VALIDATION if there are more rows than one export may have */
export async function exportList<Row extends { id: string }>(
  ctx: Ctx,
  { actor, requester }: { actor: Actor; requester: Requester },
  exported: ListExport<Row>,
): Promise<TextStream> {
  const { action, subjectType, fileName, filter, count } = exported;
  const rows = await count(EXPORT_ROWS_MAX + 1);
  if (rows > EXPORT_ROWS_MAX)
    throw AppError.validation([{ path: 'query', message: `matches more than ${EXPORT_ROWS_MAX} rows` }]);
  await record(ctx, {
    action,
    actorId: actor.userId,
    requester,
    ...(subjectType && { subject: { type: subjectType } }),
    details: { rows, filter: JSON.stringify(filter) },
  });
  return { contentType: 'text/csv; charset=utf-8', fileName, chunks: writeRows(exported) };
}

async function* writeRows<Row extends { id: string }>({ list, columns }: ListExport<Row>): AsyncGenerator<string> {
  yield toLine(Object.keys(columns));
  const cells = Object.values(columns);
  let afterId: string | null = null;
  // Rows that are added meanwhile are newer than the first one, so the bound holds.
  for (let written = 0; written < EXPORT_ROWS_MAX;) {
    const rows = await list(afterId, BATCH_ROWS);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map((row) => toLine(cells.map((cell) => cell(row)))).join('');
    written += rows.length;
    afterId = last.id;
  }
}

function toLine(cells: readonly Cell[]): string {
  return `${cells.map(toCell).join(',')}\r\n`;
}

/** A negative number is no formula. */
function toCell(cell: Cell): string {
  return typeof cell === 'number' ? String(cell) : csvCell(cell === null ? '' : String(cell));
}

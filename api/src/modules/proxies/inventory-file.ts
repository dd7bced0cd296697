/** The lines of an exported file, which has the columns of an import. */
import { csvCell } from '@cellhop/contract/csv.values';
import { formatExit } from '@cellhop/contract/exits';
import { type FileFormat, importColumns, optionalColumns } from '@cellhop/contract/staff/inventory.values';
import { toDollars, toMegabits } from '@cellhop/contract/units';
import { formatRotation } from './import-links.ts';
import type { ExportedRow } from './inventory.store.ts';

const columns = [...importColumns, ...optionalColumns];

/** JSON is a list with an object on each line, so that both formats have lines. */
export const fileEnds: Record<FileFormat, { start: string; end: string }> = {
  csv: { start: `${columns.join(',')}\r\n`, end: '' },
  json: { start: '[', end: '\n]\n' },
};

export function toFileLine(format: FileFormat, row: ExportedRow, isFirst: boolean): string {
  const values = {
    ...row,
    price: toDollars(row.priceMicros),
    exit: formatExit(row.exitKind, row.parameters, row.hasCredentials),
    ports: row.portRule,
    tunnels: row.tunnelsMax,
    megabitsPerSecond: row.bytesPerSecondMax === null ? null : toMegabits(row.bytesPerSecondMax),
    rotation: row.hasLink ? formatRotation(row) : null,
  };
  const cells = columns.map((column) => values[column] ?? '');
  if (format === 'csv') return `${cells.map((cell) => csvCell(String(cell))).join(',')}\r\n`;
  const entries = columns.map((column, index) => [column, cells[index]]);
  return `${isFirst ? '' : ','}\n${JSON.stringify(Object.fromEntries(entries))}`;
}

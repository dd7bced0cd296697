import fs from 'node:fs';

/** One row by column header. */
export type MarkdownRow = Readonly<Record<string, string>>;

export interface MarkdownTable {
  /** The heading of its section. */
  section: string;
  columns: string[];
  rows: MarkdownRow[];
}

/** All tables of a Markdown file, in order. */
export function readTables(path: string): MarkdownTable[] {
  const tables: MarkdownTable[] = [];
  let section = '';
  let table: MarkdownTable | undefined;
  for (const line of fs.readFileSync(path, 'utf8').split('\n')) {
    section = /^#+ (.+)$/.exec(line)?.[1] ?? section;
    const cells = toCells(line);
    if (!cells) table = undefined;
    else if (!table) tables.push((table = { section, columns: cells, rows: [] }));
    else if (!cells.every((cell) => /^:?-+:?$/.test(cell))) table.rows.push(toRow(table.columns, cells));
  }
  return tables;
}

function toCells(line: string): string[] | undefined {
  if (!/^\|.*\|$/.test(line)) return undefined;
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}

function toRow(columns: readonly string[], cells: readonly string[]): MarkdownRow {
  if (cells.length !== columns.length) throw new Error(`a row has not ${columns.length} cells: ${cells.join(' | ')}`);
  return Object.fromEntries(columns.map((column, index) => [column, cells[index]!]));
}

/** `$1.25` or `-$1.25` -> micro-dollars; `nothing` -> 0. */
export function toMicrosFromCell(cell: string): bigint {
  if (cell === 'nothing') return 0n;
  const match = /^(-?)\$(\d{1,3}(?:,?\d{3})*)(?:\.(\d{1,6}))?$/.exec(cell);
  if (!match) throw new Error(`no amount of money: ${cell}`);
  return BigInt(match[1]! + match[2]!.replaceAll(',', '') + (match[3] ?? '').padEnd(6, '0'));
}

/** `50 MB`, `1,023 bytes` or `50 MB and 1 byte` -> bytes; `nothing` -> 0. */
export function toBytesFromCell(cell: string): bigint {
  if (cell === 'nothing') return 0n;
  const match = /^(?:(\d+) MB)?(?: and )?(?:([\d,]+) bytes?)?$/.exec(cell);
  if (!match || cell === '') throw new Error(`no amount of traffic: ${cell}`);
  return BigInt(match[1] ?? 0) * 1_048_576n + BigInt(match[2]?.replaceAll(',', '') ?? 0);
}

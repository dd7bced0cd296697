/** Lists of providers: a proxy in each line, without a header. */
import type { LineOrder } from '@cellhop/contract/staff/inventory.values';
import type { ImportError } from '@cellhop/contract/staff/inventory';
import { type FileObject, RECORD_CHARACTERS_MAX } from './import-files.ts';
import { isColumn } from './import-table.ts';
import { readVendorLine, splitLink } from './vendor-lines.ts';

/** Whether a file is a list is decided by its first lines, because any of them may be damaged. */
const FIRST_LINES = 10;

/** A table has the names of columns in its first line, or after one that names the delimiter. */
export function isList(text: string): boolean {
  const lines = text
    .slice(0, RECORD_CHARACTERS_MAX)
    .split('\n', FIRST_LINES)
    .map(unquoted)
    .filter((line) => line !== '');
  return !lines.slice(0, 2).some(namesColumn) && lines.some((line) => readingsOf(line).length > 0);
}

function namesColumn(line: string): boolean {
  return line.split(/[,;\t"]/).some((name) => isColumn(name.trim()));
}

const readingsOf = (line: string) => readVendorLine(splitLink(line).proxy, 'socks5');

/** Spreadsheets quote a cell with a delimiter in it. */
function unquoted(line: string): string {
  const text = line.trim();
  return /^".*"$/.test(text) ? text.slice(1, -1).replaceAll('""', '"').trim() : text;
}

/**
 * Yields null for an empty line. Where lines can be read in both orders, the others decide if all of them have the same one; otherwise the list
 * is refused, because a guess would send passwords to a wrong host.
 * @param stated the order, if staff were asked
 */
export function* readList(
  text: string,
  stated: LineOrder | undefined,
): Generator<FileObject | ImportError | null, void, undefined> {
  let order = stated;
  if (order === undefined) {
    const found = new Set<LineOrder>();
    let either: number | undefined;
    for (const item of readLines(text)) {
      // So that the reader can let others in.
      yield null;
      if (item === null || 'problem' in item) continue;
      const readings = readingsOf(String(item.values['exit']));
      if (readings.length > 1) either ??= item.line;
      else if (readings[0]?.order !== undefined) found.add(readings[0].order);
    }
    order = found.size === 1 ? [...found][0] : undefined;
    if (order === undefined && either !== undefined)
      return yield { line: either, column: 'exit', problem: 'EITHER_ORDER', value: null };
  }
  for (const item of readLines(text))
    yield item === null || 'problem' in item || order === undefined ? item : { ...item, order };
  return undefined;
}

function* readLines(text: string): Generator<FileObject | ImportError | null, void, undefined> {
  let line = 1;
  for (let at = 0; at < text.length; line++) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    if (end - at > RECORD_CHARACTERS_MAX) return yield { line, column: null, problem: 'TOO_LARGE', value: null };
    const exit = unquoted(text.slice(at, end));
    yield exit === '' ? null : { line, values: { exit } };
    at = end + 1;
  }
  return undefined;
}

/** The text of an imported file: UTF-8, or UTF-16 of spreadsheets. */
import type { ImportError } from '@cellhop/contract/staff/inventory';
import { isUtf8 } from 'node:buffer';

const NEWLINE = 0x0a;
const PIECE_BYTES = 64 * 1024;

/** Spreadsheets' "Unicode text". It has always a mark of its byte order. */
const utf16Encodings = [
  { encoding: 'utf-16le', mark: Buffer.from([0xff, 0xfe]) },
  { encoding: 'utf-16be', mark: Buffer.from([0xfe, 0xff]) },
] as const;

/** @returns the text, or the line that is not UTF-8 */
export function decode(content: Buffer): string | ImportError {
  const utf16 = utf16Encodings.find(({ mark }) => content.subarray(0, mark.length).equals(mark));
  if (utf16 !== undefined) return new TextDecoder(utf16.encoding).decode(content);
  if (isUtf8(content)) return new TextDecoder().decode(content);
  // Large pieces first: a search that begins line by line takes seconds.
  const start = firstWrongPiece(content, firstWrongPiece(content, 0, PIECE_BYTES), 1);
  return { line: 1 + countNewlines(content.subarray(0, start)), column: null, problem: 'NOT_UTF8', value: null };
}

/** @returns where the first piece that is not UTF-8 starts, or the last one. A piece ends at a line end. */
function firstWrongPiece(content: Buffer, from: number, bytes: number): number {
  for (let start = from; ;) {
    const newline = content.indexOf(NEWLINE, start + bytes - 1);
    if (newline === -1 || !isUtf8(content.subarray(start, newline))) return start;
    start = newline + 1;
  }
}

function countNewlines(content: Buffer): number {
  let count = 0;
  for (const byte of content) if (byte === NEWLINE) count += 1;
  return count;
}

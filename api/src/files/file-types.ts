/**
 * What a file is, by its content alone: its name and the type that the browser states prove nothing. Pictures lose their metadata, and a
 * file that can also be read as another kind is refused.
 */
import { AppError } from '@cellhop/contract/errors';
import type { TicketFileType } from '@cellhop/contract/tickets';
import { cleanJpeg, JPEG_SIGNATURE } from './jpeg.ts';
import { damaged } from './picture-rules.ts';
import { cleanPng, PNG_SIGNATURE } from './png.ts';
import { cleanWebp, isWebp } from './webp.ts';

export interface CleanFile {
  type: TicketFileType;
  content: Buffer;
}

/** @throws AppError FILE_NOT_SUPPORTED, FILE_DAMAGED, PICTURE_TOO_LARGE */
export async function cleanFile(file: Buffer): Promise<CleanFile> {
  // A ZIP archive is found from its end, so that it can follow anything.
  if (endsAsZip(file)) throw startsAsSupported(file) ? damaged() : new AppError('FILE_NOT_SUPPORTED');
  if (startsWith(file, PNG_SIGNATURE)) return { type: 'image/png', content: await cleanPng(file) };
  if (startsWith(file, JPEG_SIGNATURE)) return { type: 'image/jpeg', content: cleanJpeg(file) };
  if (isWebp(file)) return { type: 'image/webp', content: cleanWebp(file) };
  if (startsWith(file, PDF_SIGNATURE)) return { type: 'application/pdf', content: checkPdf(file) };
  return { type: 'text/plain', content: checkText(file) };
}

const startsWith = (file: Buffer, signature: Buffer) => file.subarray(0, signature.length).equals(signature);
const startsAsSupported = (file: Buffer) =>
  [PNG_SIGNATURE, JPEG_SIGNATURE, PDF_SIGNATURE].some((signature) => startsWith(file, signature)) || isWebp(file);

const ZIP_END = Buffer.from('PK\u0005\u0006', 'latin1');
const ZIP_END_BYTES = 22;
const ZIP_COMMENT_MAX = 0xffff;

function endsAsZip(file: Buffer): boolean {
  let at = Math.max(0, file.length - ZIP_END_BYTES - ZIP_COMMENT_MAX) - 1;
  while ((at = file.indexOf(ZIP_END, at + 1)) !== -1) {
    if (at + ZIP_END_BYTES > file.length) return false;
    if (at + ZIP_END_BYTES + file.readUInt16LE(at + 20) <= file.length) return true;
  }
  return false;
}

const PDF_SIGNATURE = Buffer.from('%PDF-', 'latin1');
const PDF_TAIL_BYTES = 1024;

/** The table of objects is where the end of the file says, and nothing follows. */
function checkPdf(file: Buffer): Buffer {
  const tail = file.toString('latin1', Math.max(0, file.length - PDF_TAIL_BYTES));
  const table = Number(/startxref\s+(\d{1,10})\s+%%EOF[\s\0]*$/.exec(tail)?.[1] ?? Infinity);
  const start = table < file.length ? file.toString('latin1', table, table + 40) : '';
  if (!/^\s*(?:xref\b|\d+\s+\d+\s+obj\b)/.test(start)) throw damaged();
  return file;
}

/** What looks like text, but programs execute or draw. */
const MARKUP = /^\s*<[a-z!?/]/i;
/** Tabs and line ends are text. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\u0008\u000b\u000e-\u001f\u007f]/;

function checkText(file: Buffer): Buffer {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(file);
    if (text.trim() !== '' && !CONTROL.test(text) && !MARKUP.test(text)) return file;
  } catch {
    // Not UTF-8.
  }
  throw new AppError('FILE_NOT_SUPPORTED');
}

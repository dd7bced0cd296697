/** PNG (ISO/IEC 15948). */
import { createInflate, crc32 } from 'node:zlib';
import { checkPixels, damaged } from './picture-rules.ts';

export const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const LENGTH_AND_TYPE = 8;
const CRC = 4;
/** What pixels and colours need. Others tell of place, time and program, or contain what is not decoded here. */
const KEPT = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'sBIT', 'pHYs']);

interface Chunk {
  type: string;
  data: Buffer;
  /** With length, type and checksum. */
  whole: Buffer;
}

/**
 * Checks the structure, all checksums and that the compressed rows have exactly the size of the picture.
 * @returns the picture alone. @throws AppError FILE_DAMAGED, PICTURE_TOO_LARGE
 */
export async function cleanPng(file: Buffer): Promise<Buffer> {
  const chunks = readChunks(file);
  const [header] = chunks;
  if (header?.type !== 'IHDR' || header.data.length !== 13) throw damaged();
  const rows = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
  await checkRows(rows, countRowBytes(header.data));
  const kept = chunks.filter(({ type }) => KEPT.has(type)).map(({ whole }) => whole);
  return Buffer.concat([PNG_SIGNATURE, ...kept]);
}

function readChunks(file: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  let offset = PNG_SIGNATURE.length;
  while (chunks.at(-1)?.type !== 'IEND') {
    if (offset + LENGTH_AND_TYPE + CRC > file.length) throw damaged();
    const start = offset + LENGTH_AND_TYPE;
    const end = start + file.readUInt32BE(offset);
    if (end + CRC > file.length || file.readUInt32BE(end) !== crc32(file.subarray(offset + 4, end))) throw damaged();
    const type = file.toString('latin1', offset + 4, start);
    chunks.push({ type, data: file.subarray(start, end), whole: file.subarray(offset, end + CRC) });
    offset = end + CRC;
  }
  // Another file may follow the picture.
  if (offset !== file.length) throw damaged();
  return chunks;
}

const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Column and row of the first pixel of each pass of an interlaced picture, and the distances to the next ones. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Of all rows, each with its filter. */
function countRowBytes(header: Buffer): number {
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  checkPixels(width, height);
  const [depth = 0, colour = 0, , , interlace] = header.subarray(8);
  const bits = depth * (CHANNELS[colour] ?? 0);
  if (bits === 0) throw damaged();
  const count = (columns: number, rows: number) => (columns === 0 ? 0 : rows * (1 + Math.ceil((columns * bits) / 8)));
  if (interlace !== 1) return count(width, height);
  return PASSES.reduce(
    (sum, [x, y, dx, dy]) => sum + count(Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)),
    0,
  );
}

/** Ends as soon as there is more than expected, however much would follow. @throws AppError FILE_DAMAGED */
async function checkRows(parts: readonly Buffer[], expected: number): Promise<void> {
  const inflating = createInflate();
  for (const part of parts) inflating.write(part);
  inflating.end();
  let length = 0;
  try {
    for await (const piece of inflating as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > expected) break;
    }
  } catch {
    throw damaged();
  }
  const given = parts.reduce((sum, part) => sum + part.length, 0);
  // Something else may follow the compressed rows.
  if (length !== expected || inflating.bytesWritten !== given) throw damaged();
}

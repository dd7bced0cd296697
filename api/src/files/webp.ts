/** WebP (RFC 9649). */
import { checkPixels, damaged } from './picture-rules.ts';

const HEAD_BYTES = 12;
/** Those of a frame of an animation included. */
const KEPT = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF']);
/** Flags of VP8X: a colour profile, EXIF, XMP. */
const REMOVED = 0x20 | 0x08 | 0x04;
const FRAME_HEAD_BYTES = 16;

export const isWebp = (file: Buffer): boolean =>
  file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, HEAD_BYTES) === 'WEBP';

/**
 * Checks the structure and the sizes of all images in it.
 * @returns the picture without metadata. @throws AppError FILE_DAMAGED, PICTURE_TOO_LARGE
 */
export function cleanWebp(file: Buffer): Buffer {
  // Another file may follow the picture.
  if (file.length < HEAD_BYTES || file.readUInt32LE(4) + 8 !== file.length) throw damaged();
  const chunks = readChunks(file.subarray(HEAD_BYTES)).filter(({ type }) => KEPT.has(type));
  const hasImage = chunks.map(checkChunk).includes(true);
  if (!hasImage || !['VP8 ', 'VP8L', 'VP8X'].includes(chunks[0]!.type)) throw damaged();
  const body = Buffer.concat(chunks.map(({ type, whole }) => (type === 'VP8X' ? withoutMetadata(whole) : whole)));
  const head = Buffer.from(file.subarray(0, HEAD_BYTES));
  head.writeUInt32LE(body.length + 4, 4);
  return Buffer.concat([head, body]);
}

interface Chunk {
  type: string;
  data: Buffer;
  /** With type, length and padding. */
  whole: Buffer;
}

function readChunks(body: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  let offset = 0;
  while (offset < body.length) {
    if (offset + 8 > body.length) throw damaged();
    const end = offset + 8 + body.readUInt32LE(offset + 4);
    const next = end + (end % 2);
    if (next > body.length) throw damaged();
    const type = body.toString('latin1', offset, offset + 4);
    chunks.push({ type, data: body.subarray(offset + 8, end), whole: body.subarray(offset, next) });
    offset = next;
  }
  return chunks;
}

/** @returns whether it is an image, or a frame with one */
function checkChunk({ type, data }: Chunk): boolean {
  if (type === 'VP8 ') {
    if (data.length <= 10 || data.readUIntBE(3, 3) !== 0x9d012a) throw damaged();
    checkPixels(data.readUInt16LE(6) & 0x3fff, data.readUInt16LE(8) & 0x3fff);
    return true;
  }
  if (type === 'VP8L') {
    if (data.length <= 5 || data[0] !== 0x2f) throw damaged();
    const bits = data.readUInt32LE(1);
    checkPixels((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    return true;
  }
  if (type === 'VP8X') {
    if (data.length !== 10) throw damaged();
    checkPixels(data.readUIntLE(4, 3) + 1, data.readUIntLE(7, 3) + 1);
  }
  if (type !== 'ANMF') return false;
  if (data.length < FRAME_HEAD_BYTES) throw damaged();
  return readChunks(data.subarray(FRAME_HEAD_BYTES)).map(checkChunk).includes(true);
}

function withoutMetadata(chunk: Buffer): Buffer {
  const changed = Buffer.from(chunk);
  changed[8]! &= ~REMOVED;
  return changed;
}

/** JPEG (ITU-T T.81). */
import { checkPixels, damaged } from './picture-rules.ts';

export const JPEG_SIGNATURE = Buffer.from('ffd8ff', 'hex');
const [SOF0, SOF1, SOF2, EOI, SOS, APP0, APP1, APP14, APP15, COM] = [
  0xc0, 0xc1, 0xc2, 0xd9, 0xda, 0xe0, 0xe1, 0xee, 0xef, 0xfe,
];
/** Tables and frames; others do not occur in pictures that browsers show. */
const TABLES = new Set([0xc4, 0xdb, 0xdd]);

/**
 * Checks the structure up to the end of the picture.
 * @returns the picture without metadata, except how it is turned. @throws AppError FILE_DAMAGED, PICTURE_TOO_LARGE
 */
export function cleanJpeg(file: Buffer): Buffer {
  const kept: Buffer[] = [file.subarray(0, 2)];
  let [offset, hasFrame, hasScan] = [2, false, false];
  while (true) {
    // Markers may begin with several of these.
    while (file[offset] === 0xff && file[offset + 1] === 0xff) offset += 1;
    const marker = readMarker(file, offset);
    if (marker === EOI) break;
    const end = offset + 2 + segmentLength(file, offset + 2);
    if (end > file.length) throw damaged();
    const segment = file.subarray(offset, end);
    offset = end;
    if (marker === SOF0 || marker === SOF1 || marker === SOF2) {
      if (segment.length < 9) throw damaged();
      checkPixels(segment.readUInt16BE(7), segment.readUInt16BE(5));
      hasFrame = true;
    } else if (marker === SOS) {
      if (!hasFrame) throw damaged();
      hasScan = true;
      offset = endOfScan(file, end);
    } else if (marker === APP1) {
      const turn = readTurn(segment);
      if (turn !== undefined) kept.push(turnSegment(turn));
      continue;
    } else if ((marker > APP0 && marker <= APP15 && marker !== APP14) || marker === COM) continue;
    else if (marker !== APP0 && marker !== APP14 && !TABLES.has(marker)) throw damaged();
    kept.push(segment, file.subarray(end, offset));
  }
  if (!hasScan) throw damaged();
  // What cameras write behind the picture is left out.
  return Buffer.concat([...kept, file.subarray(offset, offset + 2)]);
}

function readMarker(file: Buffer, offset: number): number {
  const marker = file[offset + 1];
  if (file[offset] !== 0xff || marker === undefined) throw damaged();
  return marker;
}

function segmentLength(file: Buffer, offset: number): number {
  if (offset + 2 > file.length) throw damaged();
  const length = file.readUInt16BE(offset);
  if (length < 2) throw damaged();
  return length;
}

/** @returns where the next marker is that is not part of the compressed data */
function endOfScan(file: Buffer, start: number): number {
  let offset = start;
  while (true) {
    offset = file.indexOf(0xff, offset);
    const next = file[offset + 1];
    if (offset === -1 || next === undefined) throw damaged();
    const isData = next === 0 || (next >= 0xd0 && next <= 0xd7);
    if (!isData && next !== 0xff) {
      if (offset === start) throw damaged();
      return offset;
    }
    offset += isData ? 2 : 1;
  }
}

const EXIF = Buffer.from('Exif\0\0', 'latin1');
const ORIENTATION = 0x0112;
const ENTRY_BYTES = 12;
const ENTRIES_MAX = 200;

/** How the picture is turned: without it, those of phones would lie on their side. @returns undefined if it is upright or unknown */
function readTurn(segment: Buffer): number | undefined {
  const tiff = segment.subarray(4 + EXIF.length);
  if (!segment.subarray(4, 4 + EXIF.length).equals(EXIF) || tiff.length < 14) return undefined;
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number) => (at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  for (let entry = 0; entry < Math.min(short(directory), ENTRIES_MAX); entry++) {
    const at = directory + 2 + entry * ENTRY_BYTES;
    if (short(at) !== ORIENTATION) continue;
    const turn = short(at + 8);
    return turn >= 2 && turn <= 8 ? turn : undefined;
  }
  return undefined;
}

/** The smallest EXIF block: one entry. */
function turnSegment(turn: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(turn, 18);
  const head = Buffer.from([0xff, APP1, 0, 2 + EXIF.length + tiff.length]);
  return Buffer.concat([head, EXIF, tiff]);
}

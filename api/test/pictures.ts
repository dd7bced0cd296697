/** Small pictures and documents, made byte by byte. */
import { crc32, deflateSync } from 'node:zlib';

export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

interface PngOptions {
  width?: number;
  height?: number;
  /** Before they are compressed. */
  rows?: Buffer;
  /** Chunks before the pixels. */
  extra?: Buffer[];
}

/** Grey, 8 bits. */
export function png({ width = 2, height = 2, rows, extra = [] }: PngOptions = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const pixels = rows ?? Buffer.alloc(height * (width + 1));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    ...extra,
    pngChunk('IDAT', deflateSync(pixels)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function segment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

/** An EXIF block with an orientation and a secret place. */
export function exif(orientation: number): Buffer {
  const tiff = Buffer.from('49492a000800000001001201030001000000000000000000 0000'.replace(' ', ''), 'hex');
  tiff.writeUInt16LE(orientation, 18);
  return Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, Buffer.from('GPS 52.5200 N 13.4050 E')]);
}

export function jpeg({ width = 8, height = 8, orientation = 1 } = {}): Buffer {
  const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 1);
  frame.writeUInt16BE(width, 3);
  return Buffer.concat([
    Buffer.from('ffd8', 'hex'),
    segment(0xe0, Buffer.from('JFIF\0\u0001\u0001\0\0\u0001\0\u0001\0\0', 'latin1')),
    segment(0xe1, exif(orientation)),
    segment(0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>GPS</x:xmpmeta>')),
    segment(0xed, Buffer.from('Photoshop 3.0\0GPS city')),
    segment(0xfe, Buffer.from('GPS comment')),
    segment(0xdb, Buffer.alloc(65, 1)),
    segment(0xc0, frame),
    segment(0xc4, Buffer.alloc(20)),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from('2aff00ffd02a', 'hex'),
    Buffer.from('ffd9', 'hex'),
  ]);
}

function webpChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

export function webp({ width = 8, height = 8 } = {}): Buffer {
  const canvas = Buffer.alloc(10);
  canvas[0] = 0x0c;
  canvas.writeUIntLE(width - 1, 4, 3);
  canvas.writeUIntLE(height - 1, 7, 3);
  const image = Buffer.alloc(6);
  image[0] = 0x2f;
  image.writeUInt32LE((7 | (7 << 14)) >>> 0, 1);
  const body = Buffer.concat([
    webpChunk('VP8X', canvas),
    webpChunk('VP8L', image),
    webpChunk('EXIF', exif(1)),
    webpChunk('XMP ', Buffer.from('<x:xmpmeta>GPS</x:xmpmeta>')),
  ]);
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1');
  head.writeUInt32LE(body.length + 4, 4);
  return Buffer.concat([head, body]);
}

export function pdf(): Buffer {
  const text = '%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n';
  const table = 'xref\n0 1\n0000000000 65535 f \ntrailer\n<< /Root 1 0 R >>\n';
  return Buffer.from(`${text}${table}startxref\n${text.length}\n%%EOF\n`, 'latin1');
}

/** An archive without files, with a comment. */
export function zip(comment = ''): Buffer {
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([end, Buffer.from(comment, 'latin1')]);
}

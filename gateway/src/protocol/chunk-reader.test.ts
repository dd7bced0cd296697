import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkReader } from './chunk-reader.ts';

const LINE_BYTES = 100;

/** Reads a body that arrives in pieces of these sizes. */
function read(text: string, pieceBytes: readonly number[] = [text.length]): string {
  const reader = new ChunkReader(LINE_BYTES);
  const bytes = Buffer.from(text, 'latin1');
  let rewritten = '';
  for (let at = 0, index = 0; at < bytes.length; index += 1) {
    const length = pieceBytes[index % pieceBytes.length] ?? 1;
    const piece = reader.read(bytes.subarray(at, at + length));
    if (piece === 'malformed') return piece;
    rewritten += piece.bytes.toString('latin1');
    at += length;
  }
  return rewritten;
}

describe('a chunked body', () => {
  it.each([
    ['a strict one', '2\r\nok\r\n0\r\n\r\n', '2\r\nok\r\n0\r\n\r\n'],
    ['bare line feeds', '2\nok\n0\n\n', '2\r\nok\r\n0\r\n\r\n'],
    [
      'spaces, extensions and other digits',
      '0A \t;a="b"\r\n0123\r\n6789\r\n00;x\r\n\r\n',
      'a\r\n0123\r\n6789\r\n0\r\n\r\n',
    ],
    [
      'sizes of 16 and more digits',
      `${'5'.padStart(16, '0')}\r\nhello\r\n${'0'.repeat(40)}\n\n`,
      '5\r\nhello\r\n0\r\n\r\n',
    ],
    ['trailers', '1\r\n\n\r\n0\r\nX: 1\r\nContent-Length: 5\r\n\r\n', '1\r\n\n\r\n0\r\n\r\n'],
    ['bytes after it', '0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n', '0\r\n\r\n'],
    ['no end', '5\r\nok', '5\r\nok'],
    ['an incomplete end', '2\r\nok\r\n0\r\n', '2\r\nok\r\n'],
  ])('with %s is rewritten, at every split', (_name, text, expected) => {
    expect(read(text)).toBe(expected);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }), (pieceBytes) => {
        expect(read(text, pieceBytes)).toBe(expected);
      }),
    );
  });

  it.each([
    'g\r\n',
    '\r\n',
    '-1\r\n',
    '0x5\r\n',
    ' 5\r\n',
    '5 5\r\n',
    `${'1'.repeat(14)}\r\n`,
    '2\r\nokay\r\n',
    `1;${'x'.repeat(LINE_BYTES)}`,
    `0\r\nX: ${'x'.repeat(LINE_BYTES)}`,
  ])('that starts with %j is malformed', (text) => {
    expect(read(text)).toBe('malformed');
    expect(read(text, [1])).toBe('malformed');
  });
});

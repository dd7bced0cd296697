import { describe, expect, test } from 'vitest';
import { exif, jpeg, pdf, png, pngChunk, webp, zip } from '../../test/pictures.ts';
import { scaled } from '../../../tools/test-scale.ts';
import { cleanFile } from './file-types.ts';

const DAMAGED = { code: 'FILE_DAMAGED' };
const UNSUPPORTED = { code: 'FILE_NOT_SUPPORTED' };
const LARGE = { code: 'PICTURE_TOO_LARGE' };
const supported: [string, Buffer][] = [
  ['image/png', png()],
  ['image/jpeg', jpeg()],
  ['image/webp', webp()],
  ['application/pdf', pdf()],
  ['text/plain', Buffer.from('curl: (56) Response 407\r\n\tПрокси\n')],
];

describe('a file', () => {
  test.each(supported)('is %s by its content, and stays so once it is cleaned', async (type, content) => {
    const cleaned = await cleanFile(content);
    expect(cleaned.type).toBe(type);
    expect(await cleanFile(cleaned.content)).toEqual(cleaned);
  });

  test.each(supported)('of the type %s is refused when an archive or a page follows it', async (type, content) => {
    await expect(cleanFile(Buffer.concat([content, zip('comment')]))).rejects.toMatchObject(
      type === 'text/plain' ? UNSUPPORTED : DAMAGED,
    );
    const page = Buffer.from('<html><script>alert(1)</script>');
    const outcome = await cleanFile(Buffer.concat([content, page])).then(
      (cleaned) => (cleaned.content.includes(page) ? 'BOTH' : 'WITHOUT'),
      ({ code }: { code: string }) => code,
    );
    // What cameras write behind a JPEG is left out. In a text a page is text.
    const expected: Record<string, string> = { 'image/jpeg': 'WITHOUT', 'text/plain': 'BOTH' };
    expect(outcome).toBe(expected[type] ?? 'FILE_DAMAGED');
  });

  test.each(supported.slice(0, 4))('of the type %s is refused when it is cut off anywhere', async (_, content) => {
    const step = Math.ceil(content.length / scaled(60, content.length));
    for (let length = 5; length < content.length; length += step) {
      const cut = content.subarray(0, length);
      // A few bytes of a document may pass as text; those of a PDF need only the last line end less.
      if (cut.equals(content.subarray(0, -1)) && content.subarray(0, 4).toString() === '%PDF') continue;
      await expect(cleanFile(cut)).rejects.toMatchObject({
        code: expect.stringMatching(/^FILE_(?:DAMAGED|NOT_SUPPORTED)$/),
      });
    }
  });

  test.each<[string, Buffer]>([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['an SVG with a declaration', Buffer.from('\u{feff}<?xml version="1.0"?>\n<svg/>')],
    ['a page', Buffer.from('\n <!DOCTYPE html><p>')],
    ['a comment before a page', Buffer.from('<!-- --><html>')],
    ['an archive', zip()],
    ['a GIF', Buffer.from('GIF89a\u0001\0\u0001\0', 'latin1')],
    ['a program', Buffer.from('7f454c460201010000000000', 'hex')],
    ['text in UTF-16', Buffer.from('\u{feff}text', 'utf16le')],
    ['spaces', Buffer.from(' \n')],
  ])('that is %s is not supported', async (_, content) => {
    await expect(cleanFile(content)).rejects.toMatchObject(UNSUPPORTED);
  });
});

describe('a picture', () => {
  test.each([
    ['PNG', png({ extra: [pngChunk('eXIf', exif(1).subarray(6)), pngChunk('iTXt', Buffer.from('XML:GPS'))] })],
    ['JPEG', jpeg()],
    ['WebP', webp()],
  ])('loses place, device and comments: %s', async (_, content) => {
    expect(content.includes('GPS')).toBe(true);
    expect((await cleanFile(content)).content.toString('latin1')).not.toMatch(/GPS|Exif|EXIF|XMP|xap/);
  });

  test('of a phone stays upright: how it is turned is all that is kept', async () => {
    const { content } = await cleanFile(jpeg({ orientation: 6 }));
    expect(content.includes('GPS')).toBe(false);
    const at = content.indexOf('Exif');
    expect(content.subarray(at, at + 32).toString('hex')).toBe(
      '4578696600004d4d002a00000008000101120003000000010006000000000000',
    );
    expect((await cleanFile(content)).content).toEqual(content);
  });

  test.each([
    ['PNG', png({ width: 50_000, height: 1 })],
    ['PNG with too many pixels', png({ width: 16_000, height: 16_000, rows: Buffer.alloc(1) })],
    ['JPEG', jpeg({ height: 50_000 })],
    ['WebP', webp({ width: 50_000 })],
  ])('of 50,000 pixels is too large before anything is decoded: %s', async (_, content) => {
    await expect(cleanFile(content)).rejects.toMatchObject(LARGE);
  });

  test('that inflates to more or less than its pixels is refused, without being inflated', async () => {
    const bomb = png({ rows: Buffer.alloc(scaled(50_000_000, 500_000_000)) });
    expect(bomb.length).toBeLessThan(1_000_000);
    const before = process.memoryUsage().rss;
    await expect(cleanFile(bomb)).rejects.toMatchObject(DAMAGED);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1_048_576);
    await expect(cleanFile(png({ rows: Buffer.alloc(5) }))).rejects.toMatchObject(DAMAGED);
  });

  test('whose checksum, rows or frame lie is refused', async () => {
    const content = png();
    content[20]! ^= 1;
    await expect(cleanFile(content)).rejects.toMatchObject(DAMAGED);
    const empty = jpeg({ width: 0 });
    await expect(cleanFile(empty)).rejects.toMatchObject(DAMAGED);
    // A chunk of its own with something else behind the end of the compressed rows.
    const hidden = png();
    const end = hidden.length - 12;
    const smuggled = [hidden.subarray(0, end), pngChunk('IDAT', Buffer.from('<script>')), hidden.subarray(end)];
    await expect(cleanFile(Buffer.concat(smuggled))).rejects.toMatchObject(DAMAGED);
  });

  test.each(['PNG', 'JPEG', 'WebP'])(
    'with random changes is cleaned or refused, and nothing else: %s',
    async (kind) => {
      const original = { PNG: png(), JPEG: jpeg(), WebP: webp() }[kind]!;
      for (let round = 0; round < scaled(150, 20_000); round++) {
        const changed = Buffer.from(original);
        // A fixed sequence, so that a failure repeats.
        const at = (round * 7919) % changed.length;
        changed[at] = (round * 31 + (round >> 3)) & 0xff;
        const outcome = await cleanFile(changed).then(
          ({ content }) => content.length <= changed.length + 40,
          (error: { code?: string }) => error.code,
        );
        expect([true, 'FILE_DAMAGED', 'FILE_NOT_SUPPORTED', 'PICTURE_TOO_LARGE']).toContain(outcome);
      }
    },
  );
});

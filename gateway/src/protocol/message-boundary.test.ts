import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkedBoundary, HeadBoundary, LengthBoundary, type MessageBoundary } from './message-boundary.ts';

/** The length of the message at the start of a text that arrives in pieces of these sizes. */
function messageLength(boundary: MessageBoundary, text: string, pieceBytes: readonly number[] = [text.length]): number {
  const bytes = Buffer.from(text, 'latin1');
  let at = 0;
  for (let index = 0; at < bytes.length && !boundary.isComplete; index += 1) {
    const piece = bytes.subarray(at, at + (pieceBytes[index % pieceBytes.length] ?? 1));
    const taken = boundary.take(piece);
    at += taken;
    // A boundary leaves bytes only after the end of the message.
    expect(taken === piece.length || boundary.isComplete).toBe(true);
  }
  return at;
}

const NEXT = 'GET http://a.test/ HTTP/1.1\r\n\r\n';
const messages: [string, () => MessageBoundary, string][] = [
  ['a head', () => new HeadBoundary(), 'GET / HTTP/1.1\r\nA: \r\r\nB: 1\r\n\r\n'],
  ['a body with a length', () => new LengthBoundary(10), '0123\r\n\r\n89'],
  ['chunks', () => new ChunkedBoundary(), '5\r\n\r\n0\r\n\r\nA;x="0"\r\n0123456789\r\n0\r\n\r\n'],
  ['chunks and a trailer', () => new ChunkedBoundary(), '1\r\n0\r\n000\r\nX: 1\r\nY: 2\r\n\r\n'],
];

describe('the end of a message', () => {
  it.each(messages)('is found after %s, at every split', (_name, create, message) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }), (pieceBytes) => {
        expect(messageLength(create(), message + NEXT, pieceBytes)).toBe(message.length);
      }),
      { numRuns: 200 },
    );
  });

  it.each(messages)('is not found before the last byte of %s', (_name, create, message) => {
    const boundary = create();
    expect(messageLength(boundary, message.slice(0, -1))).toBe(message.length - 1);
    expect(boundary.isComplete).toBe(false);
  });

  it('is never found in the preface of HTTP/2: the parser must reject it', () => {
    const boundary = new HeadBoundary();
    const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
    expect(messageLength(boundary, preface, [3])).toBe(preface.length);
    expect(boundary.isComplete).toBe(false);
  });

  it.each([
    'g\r\n',
    '\r\n',
    '-1\r\n',
    '5\n01234\n0\n\n',
    '0x5\r\n',
    `${'1'.repeat(14)}\r\n`,
    `1;${'x'.repeat(20_000)}`,
  ])('is never found in chunks that start with %j: the parser must reject them', (chunks) => {
    const boundary = new ChunkedBoundary();
    expect(messageLength(boundary, `${chunks}0\r\n\r\n`)).toBe(chunks.length + 5);
    expect(boundary.isComplete).toBe(false);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponseReader } from './http-response.ts';

const limits = { responseHeadBytes: 65_536, responseHeadFields: 1_000, interimResponses: 100 };

/** Reads a text that arrives in pieces of these sizes. */
function read(
  text: string,
  pieceBytes: readonly number[] = [text.length],
  responseHeadBytes = limits.responseHeadBytes,
  method = 'GET',
): string {
  const reader = new ResponseReader({ ...limits, responseHeadBytes }, method);
  const bytes = Buffer.from(text, 'latin1');
  const pieces: Buffer[] = [];
  for (let at = 0, index = 0; at < bytes.length; index += 1) {
    const length = pieceBytes[index % pieceBytes.length] ?? 1;
    const readBytes = reader.read(bytes.subarray(at, at + length));
    if (readBytes === 'malformed') return readBytes;
    pieces.push(reader.take(readBytes));
    at += length;
  }
  return Buffer.concat(pieces).toString('latin1');
}

const OK = 'HTTP/1.1 200 OK\r\n';

describe('the response of an origin', () => {
  it.each([
    `${OK}X-Latin: \u00e9\u00a0\r\nContent-Length: 2\r\n\r\nok`,
    `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    `${OK}\r\nuntil the end\r\n\r\nHTTP/1.1 200 OK\n\n`,
    `HTTP/1.0 404 \r\n\r\n`,
    `HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n${OK}Content-Length: 0\r\n\r\n`,
    `${OK}Transfer-Encoding: xchunked\r\n\r\nuntil the end`,
    'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n\n\nraw',
  ])('is unchanged if it is strict: %j', (text) => {
    expect(read(text)).toBe(text);
  });

  it.each([
    ['bare line feeds', 'HTTP/1.1 200 OK\nContent-Length: 2\n\no\n', `${OK}Content-Length: 2\r\n\r\no\n`],
    ['line ends before it', `\r\n\n${OK}\r\n`, `${OK}\r\n`],
    ['other spaces in the status line', 'http/1.1  200\tFine \r\n\r\n', 'HTTP/1.1 200 Fine\r\n\r\n'],
    ['no reason', 'HTTP/1.1 200\r\n\r\n', 'HTTP/1.1 200 \r\n\r\n'],
    ['no space before the reason', 'HTTP/1.1 200OK\r\n\r\n', `${OK}\r\n`],
    ['no version', 'HTTP 200 OK\r\n\r\n', 'HTTP/1.0 200 OK\r\n\r\n'],
    ['half of a version', 'HTTP/1 200 OK\r\n\r\n', 'HTTP/1.0 200 OK\r\n\r\n'],
    ['a version and more', 'HTTP/1.1. 200 OK\r\n\r\n', `${OK}\r\n`],
    ['no name of a version', 'HTTP/ \t200 OK\r\n\r\n', 'HTTP/1.0 200 OK\r\n\r\n'],
    ['another version', 'HTTP/2.0 200 OK\r\n\r\n', `${OK}\r\n`],
    ['an older version', 'HTTP/0.9 200 OK\r\n\r\n', 'HTTP/1.0 200 OK\r\n\r\n'],
    ['a control character in the reason', 'HTTP/1.1 200 a\u0001\0\rb\r\n\r\n', 'HTTP/1.1 200 a   b\r\n\r\n'],
    ['control characters in a value', `${OK}X: \0a\u0001\u007f\rb\u000b\r\n\r\n`, `${OK}X: a   b\r\n\r\n`],
    ['spaces before the colon', `${OK}Content-Length \t: 2\r\n\r\n`, `${OK}Content-Length: 2\r\n\r\n`],
    ['a folded line', `${OK}X: a\r\n \t b\n\tc\r\n\r\n`, `${OK}X: a  b c\r\n\r\n`],
    [
      'lines that are no fields',
      `${OK}nothing\r\n: 1\r\nA b: 2\r\n(c): 3\r\n\u00e9: 4\r\nX: 5\r\n\r\n`,
      `${OK}X: 5\r\n\r\n`,
    ],
  ])('with %s is rewritten', (_name, text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each([
    ['Content-Length: 2\r\nX: 1\r\ncontent-length: 2', 'X: 1\r\nContent-Length: 2'],
    ['Content-Length: 2, 2', 'Content-Length: 2'],
    ['Content-Length: 02\r\nContent-Length: 2', 'Content-Length: 2'],
    ['Content-Length: 2\r\nTransfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: Chunked\r\nContent-Length: 2\r\nContent-Length: x', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: identity\r\nContent-Length: 2', 'Content-Length: 2'],
    ['Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked', 'Transfer-Encoding: gzip, chunked'],
    ['Transfer-Encoding: gzip\r\nContent-Length: 2', 'Transfer-Encoding: gzip'],
    ['Transfer-Encoding: xchunked', 'Transfer-Encoding: xchunked'],
    ['Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked, CHUNKED', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked, identity', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked, gzip', 'Transfer-Encoding: gzip, chunked'],
    ['Transfer-Encoding: chunked\r\nContent-Length: 2\r\nContent-Length: 3', 'Transfer-Encoding: chunked'],
    ['Content-Length: 0000000000000000002', 'Content-Length: 2'],
  ])('has one delimiter: of %j it is %j', (given, expected) => {
    expect(read(`${OK}${given}\r\n\r\n`)).toBe(`${OK}${expected}\r\n\r\n`);
  });

  it.each([
    ['GET', '200 OK', 'Content-Length: 5', 'hello'],
    ['GET', '404 Gone', 'Content-Length: 0', ''],
    ['GET', '200 OK', 'Transfer-Encoding: chunked', '5\r\nhello\r\n0\r\n\r\n'],
    ['HEAD', '200 OK', 'Content-Length: 5', ''],
    ['HEAD', '200 OK', 'Transfer-Encoding: chunked', ''],
    ['HEAD', '200 OK', 'X: 1', ''],
    ['POST', '304 Not', 'Content-Length: 5', ''],
    ['GET', '304 Not', 'Transfer-Encoding: chunked', ''],
    ['GET', '204 None', 'X: 1', ''],
  ])('ends where its method, status or length says, at every split: %s, %s, %s', (method, status, field, body) => {
    const response = `HTTP/1.1 ${status}\r\n${field}\r\n\r\n${body}`;
    for (const surplus of ['X', ' ', '0\r\n\r\n', `${OK}Content-Length: 0\r\n\r\n`])
      for (let at = 1; at <= response.length + surplus.length; at += 1)
        expect(read(response + surplus, [at, Number.POSITIVE_INFINITY], undefined, method)).toBe(response);
    const reader = new ResponseReader(limits, method);
    expect(reader.read(Buffer.from(`HTTP/1.1 103 Early\r\n\r\n${response}surplus`))).toBe(22 + response.length);
    expect(reader.isComplete).toBe(true);
    expect(reader.read(Buffer.from('more'))).toBe(0);
  });

  it('of 204 has no length, also if it names one', () => {
    expect(read('HTTP/1.1 204 None\r\nContent-Length: 5\r\nX: 1\r\n\r\nhello')).toBe(
      'HTTP/1.1 204 None\r\nX: 1\r\n\r\n',
    );
  });

  it('is taken in the pieces that are paid', () => {
    const reader = new ResponseReader(limits, 'GET');
    const text = 'HTTP/1.1 200 OK\nX: 1\nContent-Length: 5\n\nhello';
    const expected = text.replaceAll('\n', '\r\n');
    expect(reader.read(Buffer.from(`${text}surplus`))).toBe(text.length);
    const taken = [1, 9, 29, 2, 4].map((rawBytes) => reader.take(rawBytes).toString());
    expect(taken.slice(3)).toEqual([`${expected.slice(39, -5)}h`, 'ello']);
    expect(taken.join('')).toBe(expected);
    expect(reader.take(1).toString()).toBe('');
  });

  it('has chunks that are rewritten, too, from the first byte after the head', () => {
    const text = `${OK}Transfer-Encoding: chunked\n\n2 \nok\n0\n\nHTTP/1.1 200 OK\r\n\r\n`;
    for (const pieceBytes of [[1], [text.length]])
      expect(read(text, pieceBytes)).toBe(`${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`);
    expect(read(`${OK}Transfer-Encoding: chunked\r\n\r\nok`, [50])).toBe(`${OK}Transfer-Encoding: chunked\r\n\r\n`);
    expect(read(`${OK}Transfer-Encoding: chunked\r\n\r\nok\r\n`)).toBe('malformed');
  });

  it.each([
    '',
    '-1',
    '+5',
    'null',
    '5 bytes',
    '5;',
    '5.0',
    '0x5',
    '"5"',
    '5 5',
    '9999999999999999',
    'x\r\nContent-Length: x',
  ])('ends with the connection if its length is no number: %j', (length) => {
    const body = 'hello, and whatever follows\r\n\r\nHTTP/1.1 200 OK\r\n\r\n';
    expect(read(`${OK}Content-Length: ${length}\r\n\r\n${body}`)).toBe(`${OK}\r\n${body}`);
  });

  it.each([
    '2\r\nContent-Length: 3',
    '2, 3',
    '2,',
    '2\r\nContent-Length:',
    '2\r\nContent-Length: +2',
    '2, x',
    'null, -1',
  ])('is malformed with different lengths: %j', (length) => {
    expect(read(`${OK}Content-Length: ${length}\r\n\r\n`)).toBe('malformed');
  });

  it.each([
    'HTTP/1.1 99 Low',
    'HTTP/1.1 099 Low',
    'HTTP/1.1 000 None',
    'HTTP/1.1 1000 Long',
    'HTTP/1.1 abc',
    'HTTP/1.1',
    'HTTP/1.1200 OK',
  ])('is malformed without a usable status: %j', (line) => {
    expect(read(`${line}\r\n\r\n`)).toBe('malformed');
  });

  it.each(['SSH-2.0-OpenSSH_9.6\r\n', '\0', 'G', 'HTXP/', ' HTTP/1.1 200 OK\r\n\r\n'])(
    'is malformed at its first byte of another protocol: %j',
    (text) => {
      expect(read(text, [1])).toBe('malformed');
    },
  );

  it('may have a head of exactly the limit, and not one byte more', () => {
    const head = `${OK}X: ${'x'.repeat(100 - OK.length - 'X: \r\n\r\n'.length)}\r\n\r\n`;
    expect(read(`${head}body`, [7], head.length)).toBe(`${head}body`);
    expect(read(head, [7], head.length - 1)).toBe('malformed');
    expect(read('HTTP/1.1 200 OK\r\nX: '.padEnd(200, 'x'), [7], 100)).toBe('malformed');
  });

  it('may have so many fields, and not one more', () => {
    const head = `${OK}${'X: 1\r\n'.repeat(1_000)}\r\n`;
    expect(read(head)).toBe(head);
    expect(read(head.replace('X', 'Y: 1\r\nX'))).toBe('malformed');
  });

  it('may follow many interim responses, of which the first hundred are kept', () => {
    const interim = 'HTTP/1.1 102 Wait\r\n\r\n';
    expect(read(`${interim.repeat(5_000)}${OK}\r\n`)).toBe(`${interim.repeat(100)}${OK}\r\n`);
  });

  it('is read alike at every split', () => {
    const text =
      '\r\nHTTP/1.1 102 Wait\n\n\r\nHTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nX: a\n b\r\n\r\n\nbody\n\n';
    const whole = read(text);
    expect(whole).toBe(
      'HTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nX: a b\r\n\r\n\nbody\n\n',
    );
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }), (pieceBytes) => {
        expect(read(text, pieceBytes)).toBe(whole);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['carriage returns', `${OK}X: ${'\r'.repeat(60_000)}x\r\n\r\n`],
    ['spaces', `${OK}X: ${' '.repeat(60_000)}x\r\n\r\n`],
    ['spaces in the status line', `HTTP${'x'.repeat(30_000)}${' '.repeat(30_000)}200 OK\r\n\r\n`],
    ['zeros of a length', `${OK}Content-Length: ${'0'.repeat(60_000)}x\r\n\r\n`],
    ['folded lines', `${OK}X: a${'\n b'.repeat(20_000)}\r\n\r\n`],
    ['spaces before line ends', `${OK}X: a${' \n '.repeat(20_000)}\r\n\r\n`],
    ['lengths', `${OK}Content-Length: 2${',2'.repeat(30_000)}\r\n\r\n`],
    ['interim responses', `${'HTTP/1.1 102 Wait\r\n\r\n'.repeat(12_000)}${OK}\r\n`],
  ])('takes linear time for many %s', (_name, text) => {
    const before = process.cpuUsage();
    expect(read(text)).not.toBe('malformed');
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });
});

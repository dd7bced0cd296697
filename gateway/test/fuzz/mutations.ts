/** Mutations of valid inputs: some are aware of the protocol, others change arbitrary bytes. */
import type { Random } from '../../../tools/random.ts';
import { between, randomBytes } from './plan.ts';

type Mutate = (random: Random, bytes: Buffer) => Buffer;

const splice = (bytes: Buffer, at: number, removed: number, ...added: Buffer[]) =>
  Buffer.concat([bytes.subarray(0, at), ...added, bytes.subarray(at + removed)]);

const offset = (random: Random, bytes: Buffer) => random.below(bytes.length + 1);

const inserted =
  (...texts: string[]): Mutate =>
  (random, bytes) =>
    splice(bytes, offset(random, bytes), 0, Buffer.from(random.pick(texts), 'latin1'));

export const byteMutations: Readonly<Record<string, Mutate>> = {
  'flipped bits': (random, bytes) => {
    const changed = Buffer.from(bytes);
    for (let count = between(random, 1, 3); count > 0; count -= 1) {
      const at = random.below(Math.max(1, Math.min(bytes.length, 400)));
      changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
    }
    return changed;
  },
  truncated: (random, bytes) => bytes.subarray(0, random.below(bytes.length + 1)),
  'truncated early': (random, bytes) => bytes.subarray(0, random.below(Math.min(bytes.length, 80) + 1)),
  'repeated slice': (random, bytes) => {
    const at = offset(random, bytes);
    const slice = bytes.subarray(at, at + between(random, 1, 200));
    return splice(bytes, at, 0, slice);
  },
  'removed slice': (random, bytes) => splice(bytes, offset(random, bytes), between(random, 1, 40)),
  'largest length': (random, bytes) =>
    splice(bytes, random.below(Math.min(bytes.length, 80) + 1), 1, Buffer.from([255])),
  'length zero': (random, bytes) => splice(bytes, random.below(Math.min(bytes.length, 80) + 1), 1, Buffer.from([0])),
  'random bytes inside': (random, bytes) =>
    splice(bytes, offset(random, bytes), 0, randomBytes(random, between(random, 1, 20))),
  zeros: inserted('\0', '\0\0\0\0'),
  'non-ASCII': inserted('\u00e9', '\u00ff\u00fe', '\u00c3\u00a9', '\u0080'),
  'line ends': inserted('\r\n', '\n', '\r', '\r\n\r\n', '\r\r\n', '\n\n'),
  'wrong first byte': (random, bytes) =>
    splice(bytes, 0, 1, Buffer.from([random.pick([0, 4, 5, 6, 22, 0x41, 0x5b, 255])])),
  'random bytes': (random) => randomBytes(random, between(random, 1, 600)),
  'random SOCKS5': (random) => Buffer.concat([Buffer.from([5]), randomBytes(random, between(random, 0, 300))]),
};

/** @returns the offset of the end of a random line of any head */
function someLine(random: Random, text: string): number {
  const ends: number[] = [];
  const last = text.lastIndexOf('\r\n\r\n');
  for (let at = text.indexOf('\r\n'); at >= 0 && at <= last; at = text.indexOf('\r\n', at + 2)) ends.push(at);
  return ends.length === 0 ? 0 : random.pick(ends);
}

const withLine =
  (...lines: string[]): Mutate =>
  (random, bytes) =>
    splice(bytes, someLine(random, bytes.toString('latin1')), 0, Buffer.from(`\r\n${random.pick(lines)}`, 'latin1'));

const replaced =
  (wanted: RegExp, ...texts: string[]): Mutate =>
  (random, bytes) => {
    const text = bytes.toString('latin1');
    const found = [...text.matchAll(wanted)];
    if (found.length === 0) return bytes;
    const { index, 0: whole } = random.pick(found);
    return splice(bytes, index, whole.length, Buffer.from(random.pick(texts), 'latin1'));
  };

const eachLine =
  (end: string): Mutate =>
  (_random, bytes) =>
    Buffer.from(bytes.toString('latin1').replaceAll('\r\n', end), 'latin1');

const CODINGS = [
  'gzip',
  'identity',
  'chunked, identity',
  'gzip, chunked',
  'chunked, chunked',
  'xchunked',
  '',
  ' chunked\u000b',
  'chunked;q=1',
];
const LENGTHS = [
  '+5',
  '-1',
  '5, 5',
  '0x5',
  '5 5',
  '',
  '5;',
  '99999999999999999999',
  '18446744073709551617',
  '1e3',
  '00005',
];

export const httpMutations: Readonly<Record<string, Mutate>> = {
  'second host': withLine('Host: other.test', 'host: ', 'HOST:127.0.0.1'),
  'second length': withLine(
    ...LENGTHS.map((length) => `Content-Length: ${length}`),
    'Content-Length: 0',
    'content-length:7',
  ),
  'second coding': withLine(...CODINGS.map((coding) => `Transfer-Encoding: ${coding}`), 'transfer-encoding:chunked'),
  'second login': withLine(
    'Proxy-Authorization: Basic eDp5',
    'proxy-authorization:',
    'Proxy-Authorization : Basic eDp5',
  ),
  'other length': replaced(/(?<=Content-Length: )\d+/g, ...LENGTHS, '0', '1', '5', '60'),
  'other coding': replaced(/(?<=Transfer-Encoding: )chunked/g, ...CODINGS, 'CHUNKED', 'Chunked '),
  'other chunk size': replaced(
    /(?<=\r\n)[0-9a-f]+(?=\r\n)/g,
    '0',
    '1',
    '0x1',
    '-1',
    ' 1',
    '1 ;x',
    'fffffffffffff',
    'ffffffffffffffffff',
    '',
    'g',
    '00',
  ),
  'folded line': withLine(' folded', '\tfolded', 'X-Folded: a\r\n b', ' Content-Length: 5'),
  'space before the colon': replaced(/(?<=[a-z]): /gi, ' : ', '\t: ', '\u000b: '),
  'no colon': withLine(
    'nothing',
    ': value',
    'a b: c',
    '\u00e9: latin',
    '(x): y',
    'X-Control: \u0001',
    'X-Zero: a\0b',
    'X-Delete: \u007f',
  ),
  'bare line feeds': eachLine('\n'),
  'bare carriage returns': eachLine('\r'),
  'one bare line end': replaced(/\r\n/g, '\n', '\r', '\r\r\n', '\n\r', ' \r\n'),
  'large field': (random, bytes) => withLine(`X-Large: ${'x'.repeat(between(random, 8_000, 40_000))}`)(random, bytes),
  'many fields': (random, bytes) =>
    withLine('X-Many: 1\r\n'.repeat(between(random, 90, 400)) + 'X-Last: 1')(random, bytes),
  'other version': replaced(
    /HTTP\/1\.[01]/g,
    'HTTP/1.2',
    'HTTP/2.0',
    'HTTP/0.9',
    'http/1.1',
    'HTTP/1.1 ',
    'HTTP/1',
    'HTTP/11',
    'XTTP/1.1',
    '',
  ),
  'other method': replaced(
    /^[A-Z]+(?= )/g,
    'get',
    'G',
    'M-SEARCH',
    'SOURCE',
    'PRI',
    'UNKNOWN',
    'CONNECT',
    'X'.repeat(40),
    'GE T',
    'QUERY',
    'LINK',
  ),
  'other target': replaced(
    /(?<= )(?:http:\/\/)?[^ \r\n]+(?= HTTP)/g,
    '/',
    '*',
    'https://a.test/',
    'ftp://a.test/',
    'http:///',
    'http://',
    'http://a.test:0/',
    'http://u:p@a.test/',
    'a.test:1',
    '//a.test/',
    'http://a.test /',
    'http://[::1/',
    '\u00e9',
  ),
  'other expectation': withLine(
    'Expect: 100-continue',
    'Expect: nonsense',
    'Expect: 100-continue, nonsense',
    'Expect:',
  ),
  'connection names': withLine(
    'Connection: host',
    'Connection: content-length',
    'Connection: transfer-encoding',
    'Connection: proxy-authorization, close',
    'Connection: upgrade',
    'Connection: close',
    'Connection: keep-alive',
    'Connection: ,,',
    'Proxy-Connection: close',
  ),
  upgrade: withLine(
    'Upgrade: h2c',
    'Connection: Upgrade\r\nUpgrade: chat',
    'Upgrade: chat\r\nConnection: keep-alive, Upgrade',
    'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk',
  ),
  'pipelined CONNECT': (_random, bytes) =>
    Buffer.concat([bytes, Buffer.from('CONNECT a.test:1 HTTP/1.1\r\nHost: a\r\n\r\n')]),
  'appended bytes': (random, bytes) =>
    Buffer.concat([
      bytes,
      Buffer.from(random.pick(['\r\n', '\r\n\r\n\r\n', '\0', 'x', 'GET ', 'GET / HTTP/1.1\r\n\r\n', '\x05\x01\x00'])),
    ]),
  'prepended bytes': (random, bytes) =>
    Buffer.concat([Buffer.from(random.pick(['\r\n', 'X', ' ', 'G\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'])), bytes]),
};

import { describe, expect, it } from 'vitest';
import { parseBasicCredentials } from './http-fields.ts';
import { parseConnectHead, parseMethod } from './http-connect.ts';

const bounds = { headBytes: 16_384, headFields: 100 };
const parse = (text: string) => parseConnectHead(Buffer.from(text, 'latin1'), bounds);
const name = (host: string, port: number) => ({ host: { kind: 'name', name: host }, port });

const encoded = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('the head of CONNECT', () => {
  it('is parsed at every split', () => {
    const text = 'CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\nproxy-authorization:  Basic x \r\n\r\n';
    for (let length = 0; length < text.length; length += 1)
      expect(parse(text.slice(0, length))).toEqual({ kind: 'more' });
    const message = { target: name('a.test', 443), proxyAuthorization: 'Basic x' };
    expect(parse(`${text}payload`)).toEqual({ kind: 'message', message, length: text.length });
  });

  it.each([
    ['CONNECT a.test HTTP/1.1\r\nHost: a\r\n\r\n', 'malformed'],
    ['CONNECT a.test:0 HTTP/1.1\r\nHost: a\r\n\r\n', 'malformed'],
    ['CONNECT a.test:65536 HTTP/1.1\r\nHost: a\r\n\r\n', 'malformed'],
    ['CONNECT me@a.test:1 HTTP/1.1\r\nHost: a\r\n\r\n', 'malformed'],
    ['CONNECT a.test:1 HTTP/1.1\r\n\r\n', 'malformed'],
    ['CONNECT a.test:1 HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n', 'malformed'],
    ['CONNECT a.test:1 HTTP/1.1\r\nHost : a\r\n\r\n', 'malformed'],
    ['CONNECT a.test:1 HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n', 'malformed'],
    ['CONNECT a.test:1 HTTP/1.1\nHost: a\n\n', 'malformed'],
    ['CONNECT a.test:1 HTTP/1.1\r\nHost: a\rb\r\n\r\n', 'malformed'],
    ['CONNECT a.test:1 HTTP/1.1\r\nHost: a\0\r\n\r\n', 'malformed'],
    ['CONNECT a.test:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n', 'malformed'],
    ['CONNECT a.test:1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n', 'malformed'],
    ['CONNECT a.test:1 HTTP/3.0\r\nHost: a\r\n\r\n', 'http-version'],
    [`CONNECT a.test:1 HTTP/1.1\r\n${'X: 1\r\n'.repeat(101)}\r\n`, 'head-too-large'],
    [`CONNECT a.test:1 HTTP/1.1\r\nX: ${'y'.repeat(16_400)}`, 'head-too-large'],
  ])('%j is refused as %s', (text, cause) => {
    expect(parse(text)).toEqual({ kind: 'failure', cause });
  });

  it('yields its method as early as possible', () => {
    expect(parseMethod(Buffer.from('CONN'))).toEqual({ kind: 'more' });
    expect(parseMethod(Buffer.from('GET http'))).toMatchObject({ kind: 'message', message: 'GET', length: 0 });
    expect(parseMethod(Buffer.from('A'.repeat(40)))).toMatchObject({ kind: 'failure' });
  });
});

describe('Basic credentials', () => {
  it('are split at the first colon and read as UTF-8', () => {
    expect(parseBasicCredentials(encoded('us:er:é'))).toEqual({ username: 'us', password: 'er:é' });
    expect(parseBasicCredentials(encoded('a:b').replace('Basic', 'bASIC'))).toEqual({ username: 'a', password: 'b' });
  });

  it('may have empty parts', () => {
    expect(parseBasicCredentials('Basic Og==')).toEqual({ username: '', password: '' });
    expect(parseBasicCredentials(encoded('u:'))).toEqual({ username: 'u', password: '' });
    expect(parseBasicCredentials(encoded(':p'))).toEqual({ username: '', password: 'p' });
  });

  it.each([undefined, '', 'Basic', 'Bearer abc', 'Basic !!!', encoded('nocolon')])('are missing in %j', (field) => {
    expect(parseBasicCredentials(field)).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { type Target } from './host.ts';
import {
  hasBody,
  isUpgradeRequired,
  readRequestHead,
  requestFields,
  responseFields,
  transferCodings,
} from './http-fields.ts';

const FIELDS_MAX = 100;
const HOST = ['Host', 'a.test'];
const request = (overrides: Partial<Parameters<typeof readRequestHead>[0]> = {}) => ({
  method: 'GET',
  url: 'http://a.test/path',
  httpVersion: '1.1',
  rawHeaders: HOST,
  ...overrides,
});
const read = (overrides: Parameters<typeof request>[0]) => readRequestHead(request(overrides), FIELDS_MAX);
const named = (name: string, port = 80): Target => ({ host: { kind: 'name', name }, port });

const fields = (...rawHeaders: string[]) => requestFields(request({ rawHeaders }), named('a.test', 8080), undefined);

describe('the head of an absolute-form request', () => {
  it.each([
    ['http://a.test/path?query#fragment', 'GET', 80, '/path?query'],
    ['http://a.test', 'GET', 80, '/'],
    ['http://a.test', 'OPTIONS', 80, '*'],
    ['http://a.test?query', 'GET', 80, '/?query'],
    ['http://a.test:8080/', 'GET', 8080, '/'],
    ['http://a.test:/', 'GET', 80, '/'],
    ['HTTP://A.test//twice', 'GET', 80, '//twice'],
    ['http://a.test/http://b.test/', 'GET', 80, '/http://b.test/'],
    ['ws://a.test/chat', 'GET', 80, '/chat'],
  ])('%s with method %s has port %i and path %s', (url, method, port, path) => {
    expect(read({ url, method })).toEqual({ target: named('a.test', port), path, proxyAuthorization: undefined });
  });

  it.each([
    ['/path', 'not-absolute'],
    ['*', 'not-absolute'],
    ['a.test:80', 'not-absolute'],
    ['ftp://a.test/', 'not-absolute'],
    ['https://a.test/', 'connect-required'],
    ['HTTPS://a.test/', 'connect-required'],
    ['wss://a.test/', 'connect-required'],
    ['http:///path', 'malformed'],
    ['http://user:password@a.test/', 'malformed'],
    ['http://a.test:0/', 'malformed'],
    ['http://a.test:65536/', 'malformed'],
    ['http://a.test:80:80/', 'malformed'],
    ['http://[::1/', 'malformed'],
    ['http://a..test/', 'malformed'],
    ['http://%61.test/', 'malformed'],
  ])('%s is refused as %s', (url, cause) => {
    expect(read({ url })).toBe(cause);
  });

  it.each<[string, string[], string]>([
    ['no host', [], 'malformed'],
    ['two hosts', [...HOST, 'host', 'a.test'], 'malformed'],
    ['two codings', [...HOST, 'Transfer-Encoding', 'chunked', 'Transfer-Encoding', 'chunked'], 'transfer-coding'],
    ['another coding', [...HOST, 'Transfer-Encoding', 'gzip'], 'transfer-coding'],
    ['a list of codings', [...HOST, 'Transfer-Encoding', 'gzip, chunked'], 'transfer-coding'],
    ['two logins', [...HOST, 'Proxy-Authorization', 'a', 'proxy-authorization', 'b'], 'malformed'],
    ['too many fields', [...HOST, ...Array.from({ length: 200 }, () => 'x')], 'head-too-large'],
  ])('with %s is refused', (_name, rawHeaders, cause) => {
    expect(read({ rawHeaders })).toBe(cause);
  });

  it('of HTTP/1.0 needs no Host field and must not be chunked', () => {
    expect(read({ httpVersion: '1.0', rawHeaders: [] })).toMatchObject({ path: '/path' });
    expect(read({ httpVersion: '1.0', rawHeaders: ['Transfer-Encoding', 'chunked'] })).toBe('malformed');
    expect(read({ httpVersion: '0.9' })).toBe('http-version');
    expect(read({ httpVersion: '2.0' })).toBe('http-version');
  });

  it('returns the credentials but does not forward them', () => {
    const rawHeaders = [...HOST, 'proxy-AUTHORIZATION', 'Basic x'];
    expect(read({ rawHeaders })).toMatchObject({ proxyAuthorization: 'Basic x' });
    expect(requestFields(request({ rawHeaders }), named('a.test'), undefined)).toEqual(HOST);
  });
});

describe('the fields for the origin', () => {
  it.each<[string, string[], string[]]>([
    ['another host', ['Host', 'b.test'], []],
    ['hop-by-hop fields', ['Keep-Alive', '5', 'TE', 'trailers', 'Trailer', 'X', 'Proxy-Connection', 'close'], []],
    [
      'fields named in Connection',
      ['Connection', 'close, X-One', 'X-One', '1', 'connection', 'x-two', 'X-Two', '2'],
      [],
    ],
    ['an Upgrade field without an upgrade', ['Upgrade', 'h2c'], []],
    ['all fields with the prefix Proxy-', ['Proxy-Anything', '1', 'pROXY-X', '2'], []],
    [
      'nothing else',
      ['Via', '1.1 a', 'X-Empty', '', 'X', '1', 'X', '2'],
      ['Via', '1.1 a', 'X-Empty', '', 'X', '1', 'X', '2'],
    ],
  ])('leave out %s', (_name, given, kept) => {
    expect(fields(...given)).toEqual(['Host', 'a.test:8080', ...kept]);
  });

  it.each(['Content-Length', 'Transfer-Encoding'])('keep %s even if Connection names it', (name) => {
    expect(fields('Connection', name.toLowerCase(), name, 'x')).toEqual(['Host', 'a.test:8080', name, 'x']);
  });

  it.each([
    ['POST', true],
    ['PATCH', true],
    ['GET', false],
    ['HEAD', false],
    ['DELETE', false],
    ['OPTIONS', false],
    ['TRACE', false],
  ])('of %s without a body have Content-Length 0: %s', (method, hasLength) => {
    const given = requestFields(request({ method }), named('a.test'), undefined);
    expect(given).toEqual(hasLength ? [...HOST, 'Content-Length', '0'] : HOST);
  });

  it('contain an Upgrade field only if the client requests an upgrade', () => {
    const rawHeaders = ['Connection', 'Upgrade, X-Named', 'Upgrade', 'chat', 'X-Named', '1', 'X-Kept', '2'];
    const expected = [...HOST, 'X-Kept', '2', 'Connection', 'Upgrade', 'Upgrade', 'chat'];
    expect(requestFields(request({ rawHeaders }), named('a.test'), 'chat')).toEqual(expected);
  });
});

describe('a response', () => {
  it('loses its Transfer-Encoding and hop-by-hop fields', () => {
    const given = [
      'Transfer-Encoding',
      'chunked',
      'Proxy-Authenticate',
      'Basic',
      'Connection',
      'X',
      'X',
      '1',
      'ETag',
      '2',
    ];
    expect(responseFields(given)).toEqual(['ETag', '2']);
  });

  it('keeps its Proxy-Status, unless Connection names it', () => {
    expect(responseFields(['Proxy-Status', 'a'])).toEqual(['Proxy-Status', 'a']);
    expect(responseFields(['Connection', 'proxy-status', 'Proxy-Status', 'a'])).toEqual([]);
  });

  it('has transfer codings in their order', () => {
    const rawHeaders = ['Transfer-Encoding', 'GZIP, identity ,', 'X', 'y', 'transfer-encoding', 'Chunked'];
    expect(transferCodings(rawHeaders)).toEqual(['gzip', 'chunked']);
  });
});

describe('a request', () => {
  it.each<[string[], boolean]>([
    [[], false],
    [['Content-Length', '0'], false],
    [['content-length', '1'], true],
    [['Transfer-Encoding', 'chunked'], true],
  ])('with %j has a body: %s', (rawHeaders, expected) => {
    expect(hasBody(rawHeaders)).toBe(expected);
  });

  it.each<[string[], boolean]>([
    [['Upgrade', 'websocket'], true],
    [['Upgrade', 'h2c, chat'], true],
    [['Upgrade', 'websocket', 'Content-Length', '0'], true],
    [['Upgrade', 'websocket', 'Content-Length', '4'], false],
    [['Upgrade', 'websocket', 'Transfer-Encoding', 'chunked'], false],
    [['Upgrade', 'h2c'], false],
    [['Upgrade', 'TLS/1.2, HTTP/2.0'], false],
    [['Upgrade', ''], false],
    [[], false],
  ])('with %j requires an upgrade: %s', (rawHeaders, expected) => {
    expect(isUpgradeRequired(rawHeaders)).toBe(expected);
  });
});

import { expect, test } from 'vitest';
import { InvalidSourceUrl, parseSourceUrl } from './source-url.ts';

test('shows host and port only, and sends no fragment', () => {
  const { name, base, headers } = parseSourceUrl(
    'https://user:pass%2Fword@api.trongrid.io:8090/path?token=1#TRON-PRO-API-KEY=a%26b=&x-project=7',
  );
  expect(name).toBe('api.trongrid.io:8090');
  expect(base.href).toBe('https://api.trongrid.io:8090/path?token=1');
  expect(headers).toEqual({
    authorization: `Basic ${Buffer.from('user:pass/word').toString('base64')}`,
    'tron-pro-api-key': 'a&b=',
    'x-project': '7',
  });
});

test('knows interfaces of a node on other ports and hosts', () => {
  const { services, headers } = parseSourceUrl(
    'http://10.0.0.5:8090#solidity=8091&jsonrpc=http://10.0.0.6:8545&X-Key=1',
  );
  expect(services.solidity?.href).toBe('http://10.0.0.5:8091/');
  expect(services.jsonrpc?.href).toBe('http://10.0.0.6:8545/');
  expect(headers).toEqual({ 'x-key': '1' });
});

test.each([
  'http://me:password@127.0.0.1:8332',
  'http://me:password@[::1]:8332',
  'http://me:password@10.1.2.3:8332',
  'http://me:password@100.64.0.7:8332',
  'http://me:password@[fd12::7]:8332',
  'http://me:password@localhost:8332',
  'http://me:password@bitcoind:8332',
  'http://me:password@bitcoind.internal:8332',
  'http://node.example.com:8545/v1',
  'https://me:password@node.example.com',
])('accepts %s', (url) => {
  expect(parseSourceUrl(url).name).toBe(new URL(url).host);
});

test('a dot at the end of a host does not make another one', () => {
  expect(parseSourceUrl('https://api.trongrid.io.:8090/path').name).toBe('api.trongrid.io:8090');
});

test.each([
  ['no URL', 'api.trongrid.io'],
  ['another protocol', 'ftp://api.trongrid.io'],
  ['a key without a name', 'https://api.trongrid.io#s3cret-key'],
  ['an empty name', 'https://api.trongrid.io#=s3cret-key'],
  ['an empty key', 'https://api.trongrid.io#X-Key='],
  ['a name that is no token', 'https://api.trongrid.io#X%20Key=s3cret-key'],
  ['a line break, which would begin another header', 'https://api.trongrid.io#X-Key=s3cret-key%0d%0aHost:x'],
  ['letters beyond ASCII', 'https://api.trongrid.io#X-Key=s3cret-kéy'],
  ['the same name twice', 'https://api.trongrid.io#X-Key=s3cret-key&x-key=2'],
  ['a second way to authenticate', 'https://me:s3cret-key@api.trongrid.io#Authorization=Bearer%201'],
  ['a host', 'https://api.trongrid.io#Host=s3cret-key'],
  ['a length', 'https://api.trongrid.io#Content-Length=1'],
  ['half an escape', 'https://api.trongrid.io#X-Key=s3cret-key%2'],
  ['a port that does not exist', 'http://10.0.0.5:8090#solidity=70000'],
  ['an interface that is no address', 'http://10.0.0.5:8090#solidity=s3cret-key'],
  ['a password over http', 'http://me:s3cret-key@node.example.com:8332'],
  ['a key of the path over http', 'http://node.example.com/v2/s3cret-key-of-mine'],
  ['a key in a header over http', 'http://203.0.113.7:8090#X-Key=s3cret-key'],
  [
    'a key for an interface over http',
    'https://node.example.com#X-Key=s3cret-key&jsonrpc=http://node.example.com:8545',
  ],
  ['a password over http to IPv6', 'http://me:s3cret-key@[2606:4700::1]:8332'],
  ['an interface with a password of its own', 'http://10.0.0.5:8090#solidity=http://me:s3cret-key@10.0.0.6'],
])('refuses %s, without a secret in the message', (_, url) => {
  expect(() => parseSourceUrl(url)).toThrow(InvalidSourceUrl);
  expect(() => parseSourceUrl(url)).not.toThrow(/s3cret/);
});

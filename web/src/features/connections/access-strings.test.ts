import { connectionStrings, proxyUrls } from '@cellhop/contract/access-strings';
import { describe, expect, it } from 'vitest';
import { curlTarget, telegramLink, writeAccess } from './access-strings.ts';

const access = { host: 'proxy.example', port: 1080, username: 'user', password: 'secret' };

describe('connectionStrings', () => {
  it('has the three formats that proxy clients accept', () => {
    expect(connectionStrings(access)).toEqual([
      'proxy.example:1080',
      'user:secret@proxy.example:1080',
      'proxy.example:1080:user:secret',
    ]);
  });
});

describe('proxyUrls', () => {
  it('has the protocol and the port', () => {
    expect(proxyUrls(access)).toEqual({
      socks: 'socks5://user:secret@proxy.example:1080',
      http: 'http://user:secret@proxy.example:1080',
      https: 'https://user:secret@proxy.example:1080',
    });
    expect(new URL(proxyUrls(access).http)).toMatchObject({ username: 'user', password: 'secret', port: '1080' });
  });
});

describe('writeAccess', () => {
  it.each([
    ['hostPort', 'proxy.example:1080'],
    ['userinfo', 'user:secret@proxy.example:1080'],
    ['colons', 'proxy.example:1080:user:secret'],
    ['socksUrl', 'socks5://user:secret@proxy.example:1080'],
    ['httpUrl', 'http://user:secret@proxy.example:1080'],
    ['httpsUrl', 'https://user:secret@proxy.example:1080'],
    ['curl', 'curl -x socks5h://user:secret@proxy.example:1080 TARGET'],
    ['playwright', "proxy: { server: 'http://proxy.example:1080', username: 'user', password: 'secret' }"],
    [
      'python',
      'proxies = {"http": "http://user:secret@proxy.example:1080", "https": "http://user:secret@proxy.example:1080"}',
    ],
  ] as const)('writes %s', (format, text) => {
    expect(writeAccess(access, format, 'TARGET')).toBe(text);
  });

  it('has a link that opens Telegram', () => {
    expect(telegramLink(access)).toBe('https://t.me/socks?server=proxy.example&port=1080&user=user&pass=secret');
  });
});

describe('curlTarget', () => {
  it('downloads from the API in development', () => {
    expect(curlTarget({ isDevelopment: true, publicUrl: 'http://localhost:3000' })).toBe(
      'http://localhost:3000/dev/download/5 -o /dev/null',
    );
  });

  it('shows the address that curl got in production', () => {
    expect(curlTarget({ isDevelopment: false, publicUrl: 'https://shop.example' })).toBe(
      '"https://shop.example/v1/echo?nonce=my-address"',
    );
  });
});

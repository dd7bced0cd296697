import { connectionStrings, proxyUrls } from '@cellhop/contract/access-strings';
import { describe, expect, it } from 'vitest';
import { curlLines, curlTarget } from './access-strings.ts';

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
    });
    expect(new URL(proxyUrls(access).http)).toMatchObject({ username: 'user', password: 'secret', port: '1080' });
  });
});

describe('curlLines', () => {
  it('downloads from the API in development', () => {
    const target = curlTarget({ isDevelopment: true, publicUrl: 'http://localhost:3000' });
    expect(curlLines(access, target)).toEqual({
      socks: 'curl -x socks5h://user:secret@proxy.example:1080 http://localhost:3000/dev/download/5 -o /dev/null',
      http: 'curl -x http://user:secret@proxy.example:1080 http://localhost:3000/dev/download/5 -o /dev/null',
    });
  });

  it('requests a public site in production', () => {
    const settings = { isDevelopment: false, publicUrl: 'https://proxy.example' };
    expect(curlTarget(settings)).toBe('https://example.com');
  });
});

/** @module-tag thorough */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { returnSearch, nextSearch, safePath } from './next-page.ts';

describe('safePath', () => {
  it('accepts paths of this app with their search', () => {
    for (const path of ['/proxies', '/payments/invoices?create=true', '/usage?range=7d#top'])
      expect(safePath(path)).toBe(path);
  });

  it('refuses everything that leads elsewhere', () => {
    const traps = [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      '/.//evil.example',

      '/\\\\evil.example',
      '\\\\evil.example',
      '/\n/evil.example',
      '/\r\n\\evil.example',
      '\t//evil.example',
      ' //evil.example',

      '/%2e//evil.example',
      '/a/..//evil.example',
      '/a/%2E%2e/\\evil.example',
      '/.\\/evil.example',
      '///evil.example',
      'https:evil.example',
      'https:/evil.example',
      'HTTPS:\\\\evil.example',
      '//user:password@evil.example',
      'https://shop.example@evil.example/',
      'https://shop.example/proxies',
      'https://user@shop.example/proxies',

      'javascript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,<script>alert(1)</script>',
      'blob:https://shop.example/1',
      '#//evil.example',
      '?next=//evil.example',
      './proxies',
      '../proxies',
      '%2f%2fevil.example',
      '%2Fproxies',
      'proxies',
      '',
      7,
      undefined,
      ['/proxies'],
    ];
    for (const trap of traps) expect(safePath(trap)).toBeUndefined();
    expect(nextSearch({ next: '/\\evil.example' })).toEqual({});
  });

  it('leaves encoded slashes, fragments and addresses in parameters as they are: they lead nowhere else', () => {
    const harmless = [
      '/%2f%2fevil.example',
      '/%5c%5cevil.example',
      '/usage#//evil.example',
      '/usage?url=https://evil.example',
    ];
    for (const path of harmless) expect(safePath(path)).toBe(path);
  });

  it('returns a path of this app or nothing for any text and any origin, also when it is read again', () => {
    const piece = fc.constantFrom(
      '/',
      '//',
      '\\',
      '.',
      '..',
      '%2e',
      '%2f',
      '%5c',
      '%00',
      '\t',
      '\n',
      '\r',
      ' ',
      '\0',
      '@',
      ':',
      '?',
      '#',
      'evil.example',
      'https:',
      'javascript:',
      'proxies',
      '\u3002',
      '\uff0f',
      '[',
      ']',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const path = safePath(`/${pieces.join('')}`);
        if (path === undefined) return;
        for (const origin of ['https://shop.example', 'http://127.0.0.1:8080']) {
          const base = `${origin}/sign-in?next=x`;
          expect(new URL(path, base).origin).toBe(origin);
          expect(new URL(new URL(path, base).pathname, base).origin).toBe(origin);
        }
        expect(safePath(path)).toBe(path);
      }),
      { numRuns: 20_000 },
    );
  });
});

describe('returnSearch', () => {
  it('omits the start page', () => {
    expect(returnSearch('/proxies')).toEqual({});
    expect(returnSearch('/connection-history?page=3')).toEqual({ next: '/connection-history?page=3' });
  });
});

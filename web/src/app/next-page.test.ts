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
      'javascript:alert(1)',
      'proxies',
      '',
      7,
      undefined,
      ['/proxies'],
    ];
    for (const trap of traps) expect(safePath(trap)).toBeUndefined();
    expect(nextSearch({ next: '/\\evil.example' })).toEqual({});
  });
});

describe('returnSearch', () => {
  it('omits the start page', () => {
    expect(returnSearch('/proxies')).toEqual({});
    expect(returnSearch('/connection-history?page=3')).toEqual({ next: '/connection-history?page=3' });
  });
});

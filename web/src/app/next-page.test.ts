import { describe, expect, it } from 'vitest';
import { comingBackTo, nextSearch, safePath } from './next-page.ts';

describe('safePath', () => {
  it('takes paths of this app with their search', () => {
    for (const path of ['/proxies', '/payments/invoices?create=true', '/usage?range=7d#top'])
      expect(safePath(path)).toBe(path);
  });

  it('takes nothing that leads elsewhere', () => {
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

describe('comingBackTo', () => {
  it('does not mention the start page', () => {
    expect(comingBackTo('/proxies')).toEqual({});
    expect(comingBackTo('/connection-history?page=3')).toEqual({ next: '/connection-history?page=3' });
  });
});

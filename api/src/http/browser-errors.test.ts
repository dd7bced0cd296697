import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BrowserErrors, withoutSecrets } from './browser-errors.ts';

const report = { name: 'TypeError', message: 'x is undefined', stack: 'at draw (app.js:1:2)', path: '/proxies' };

function startReports() {
  const lines: string[] = [];
  const browserErrors = new BrowserErrors(pino({}, { write: (line: string) => lines.push(line) }));
  const from = (ip: string) => browserErrors.report({ ip, userAgent: undefined, requestId: 'request' }, report);
  return { browserErrors, from, lines };
}

describe('reports of browsers', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are logged five times a minute per network, and others are counted', () => {
    const { browserErrors, from, lines } = startReports();
    for (let count = 0; count < 5; count++) from(`2001:db8::${count}`);
    expect(() => from('2001:db8::9')).toThrow('Too many requests');
    from('2001:db8:0:1::1');
    expect(lines).toHaveLength(6);
    expect(browserErrors.counts).toEqual({ logged: 6, dropped: 1 });
    vi.advanceTimersByTime(60_000);
    from('2001:db8::9');
    expect(lines).toHaveLength(7);
  });

  it('are logged twice as often for a /56 and four times as often for a /48', () => {
    const { from, lines } = startReports();
    const tryFrom = (network: number) => {
      try {
        from(`2001:db8:1:${network.toString(16)}::1`);
      } catch {
        // Only counted.
      }
    };
    for (let network = 0; network < 50; network++) tryFrom(network);
    expect(lines).toHaveLength(10);
    for (let network = 1; network < 50; network++) tryFrom(network * 0x100);
    expect(lines).toHaveLength(20);
  });

  it('are logged a hundred times a minute in total', () => {
    const { browserErrors, from, lines } = startReports();
    const networks = Array.from({ length: 150 }, (_, index) => `192.0.2.${index}`);
    for (const network of networks.slice(0, 100)) from(network);
    for (const network of networks.slice(100)) expect(() => from(network)).toThrow('Too many requests');
    expect(lines).toHaveLength(100);
    expect(browserErrors.counts).toEqual({ logged: 100, dropped: 50 });
  });

  it.each([
    ['Failed at https://shop.example/confirm?code=abc#part (x)', 'Failed at https://shop.example/confirm (x)'],
    ['token eyJhbGciOiJIUzI1NiJ9.eyJzaWQiOiIxIn0.c2lnbmF0dXJl', 'token [removed]'],
    ['code d0Zp3_kQ-7fLq2mX9aTs5bVcR8eYwHgJ1nKuIoPl4Ez', 'code [removed]'],
    ['to someone.else+tag@example.com now', 'to [email] now'],
    [
      'draw@https://shop.example/assets/proxies-screen-B3x9aQ2d.js:12:34',
      'draw@https://shop.example/assets/proxies-screen-B3x9aQ2d.js:12:34',
    ],
    ['/support/tickets/0f8fad5b-d9cb-469f-a165-70867728950e', '/support/tickets/[removed]'],
  ])('are logged without secrets: %s', (text, logged) => {
    expect(withoutSecrets(text)).toBe(logged);
  });
});

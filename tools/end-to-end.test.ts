import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ensureChromium, ensureHeadlessShell } from './chromium.mjs';
import { listEndToEndTests, runEndToEnd } from './end-to-end.mjs';
import { Problem } from './problem.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const otherwise = () => '/opt/chromium';

describe('the end-to-end tests', () => {
  it('fail and are listed without Chromium if it cannot be installed', () => {
    const ran: string[] = [];
    const attempt = () =>
      runEndToEnd({
        findBrowser: () => ensureChromium({ find: () => undefined, install: () => {} }),
        listTests: () => ['buy.spec.ts:3:1 › a proxy is bought', 'pay.spec.ts:7:1 › an invoice is paid'],
        runTests: (browser) => void ran.push(browser),
      });
    expect(attempt).toThrow(Problem);
    expect(attempt).toThrow(
      /^2 end-to-end tests were not run:\n {2}buy\.spec\.ts:3:1 › a proxy is bought\n {2}pay\.spec\.ts:7:1 › an invoice is paid\n.*Chromium.*CHROMIUM/,
    );
    expect(ran).toEqual([]);
  });

  it('run with the browser that is found or newly installed', () => {
    const ran: string[] = [];
    const run = (findBrowser: () => string) =>
      runEndToEnd({ findBrowser, listTests: () => [], runTests: (browser) => void ran.push(browser) });
    run(() => ensureChromium({ find: () => '/opt/chromium', install: () => {} }));
    let installed: string | undefined;
    run(() => ensureChromium({ find: () => installed, install: () => void (installed = '/opt/new-chromium') }));
    expect(ran).toEqual(['/opt/chromium', '/opt/new-chromium']);
  });

  it('run with the headless shell, installed if possible, and with Chromium otherwise', () => {
    expect(ensureHeadlessShell({ find: () => '/opt/shell', install: () => expect.unreachable(), otherwise })).toBe(
      '/opt/shell',
    );
    let installed: string | undefined;
    const install = () => void (installed = '/opt/new-shell');
    expect(ensureHeadlessShell({ find: () => installed, install, otherwise })).toBe('/opt/new-shell');
    expect(ensureHeadlessShell({ find: () => undefined, install: () => {}, otherwise })).toBe('/opt/chromium');
  });

  it('can be listed without a browser', () => {
    const titles = listEndToEndTests(root);
    expect(titles.length).toBeGreaterThan(40);
    expect(titles.filter((title) => !/^[\w-]+\.spec\.ts:\d+:\d+ › ./.test(title))).toEqual([]);
  });
});

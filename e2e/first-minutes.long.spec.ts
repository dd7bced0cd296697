/**
 * How long the first minutes are: the taps of a new customer on a phone with a slow network, and the clicks of staff. Taps and clicks
 * are limits; the seconds are printed, because they depend on the machine (docs/web.md has those of an idle one).
 */
import { type Locator, type Page } from '@playwright/test';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, PASSWORD, readMail, test, toPath } from './product.ts';

const run = promisify(execFile);

/** The preset "Slow 4G" of Chromium's developer tools, in milliseconds and bytes per second. */
const SLOW_4G = { offline: false, latency: 562.5, downloadThroughput: 184_320, uploadThroughput: 86_400 };
/** Of somebody who types with two thumbs. */
const MILLISECONDS_PER_CHARACTER = 150;

/** Counts what the finger does. Moving on with the key of the keyboard on the screen is part of typing. */
function createFinger(page: Page) {
  let taps = 0;
  return {
    taps: () => taps,
    tap: async (target: Locator) => {
      taps++;
      await target.tap();
    },
    type: (text: string) => page.keyboard.type(text, { delay: MILLISECONDS_PER_CHARACTER }),
    nextField: (target: Locator) => target.focus(),
  };
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });

  test('a visitor has traffic through their own proxy after 10 taps at most', async ({ page, context, product }) => {
    const email = 'phone@example.com';
    const devTools = await context.newCDPSession(page);
    await devTools.send('Network.enable');
    await devTools.send('Network.emulateNetworkConditions', SLOW_4G);
    const { tap, type, nextField, taps } = createFinger(page);
    const start = performance.now();

    await page.goto('/');
    await tap(page.getByRole('link', { name: 'Start with $1 free' }).first());
    await tap(page.getByLabel('Email'));
    await type(email);
    for (const name of ['Password', 'Confirm password']) {
      await nextField(page.getByLabel(name, { exact: true }));
      await type(PASSWORD);
    }
    await tap(page.getByRole('button', { name: 'Sign up' }));
    const link = toPath(await readMail(page, email));
    await page.setContent(`<a href="${new URL(link, product.url).href}">Confirm</a>`);
    await tap(page.getByRole('link', { name: 'Confirm' }));
    await tap(page.getByRole('button', { name: 'Confirm email' }));
    await tap(page.getByRole('button', { name: /^Buy \d/ }).first());
    await tap(page.getByRole('dialog').getByRole('button', { name: /^Buy for/ }));
    await tap(page.getByRole('dialog').getByRole('button', { name: 'Copy', exact: true }));
    const address = await page.getByRole('dialog').locator('code').first().innerText();
    const { stdout } = await run('curl', [
      '-sS',
      '-x',
      `socks5h://${address}`,
      `${product.url}/dev/download/1`,
      '-w',
      '%{size_download}',
      '-o',
      '/dev/null',
    ]);

    const seconds = (performance.now() - start) / 1000;
    expect(stdout).toBe('1048576');
    console.log(`From the landing page to traffic on slow 4G: ${taps()} taps, ${seconds.toFixed(1)} s`);
    expect(taps()).toBeLessThanOrEqual(10);
  });
});

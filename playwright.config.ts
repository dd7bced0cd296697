import { defineConfig } from '@playwright/test';
import os from 'node:os';
import { findChromium, findHeadlessShell } from './tools/chromium.mjs';

const executablePath = findHeadlessShell() ?? findChromium();

const DISABLED_FEATURES = [
  // Chromium runs timers that follow a click or key only after the next frame, up to 100 ms later. Dialogs and refused forms
  // set the focus in such timers: people are slower than that, but tests type at once, and their text went to the other field.
  'DeferRendererTasksAfterInput',
  // The last list replaces the others, so these are the ones that Playwright disables in a headless browser.
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

export default defineConfig({
  testDir: 'e2e',
  // They belong to `npm run test:long`.
  testIgnore: '*.long.spec.ts',
  outputDir: '.data/test-results/playwright',
  globalSetup: './e2e/start-product.ts',
  // One for each processor: the product, its database and one browser keep 1.4 of them busy, so two workers take 0.7 of the time on two.
  workers: Math.min(os.availableParallelism(), 4),
  fullyParallel: true,
  // Generous, because machines may be slow or busy; it only ends tests that would hang.
  timeout: 240_000,
  // Less than the 30 seconds after which screens poll, so that polling does not hide a lost live event.
  expect: { timeout: 20_000 },
  forbidOnly: true,
  reporter: [
    ['list'],
    ['json', { outputFile: process.env['PLAYWRIGHT_REPORT'] ?? '.data/test-results/playwright.json' }],
  ],
  use: {
    // Reports why an element cannot be clicked, long before the test times out.
    actionTimeout: 30_000,
    // A trace of every step takes a fifth of all CPU time: record one with `npx playwright test --trace=retain-on-failure`.
    trace: 'off',
    // A click misses a button that moves between the press and the release, and colours differ half-way through a fade.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: [
        // Chromium does not support its sandbox as root, and containers seldom allow it.
        '--no-sandbox',
        // No test needs the internet; these disable background requests of the browser.
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-domain-reliability',
        `--disable-features=${DISABLED_FEATURES.join(',')}`,
        '--disable-sync',
        '--no-first-run',
        // The GPU is emulated here.
        '--disable-gpu',
        // Draws in an existing process instead of a separate one.
        '--in-process-gpu',
        '--no-pings',
      ],
    },
  },
});

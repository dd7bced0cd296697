import { defineConfig } from '@playwright/test';
import os from 'node:os';
import { findChromium } from './tools/chromium.mjs';

const executablePath = findChromium();

export default defineConfig({
  testDir: 'e2e',
  outputDir: '.data/test-results/playwright',
  globalSetup: './tools/playwright-postgres.ts',
  // Each worker has a product, a database and a browser of its own, and with all of them keeps about one processor busy.
  workers: Math.min(Math.max(os.availableParallelism(), 2), 4),
  fullyParallel: true,
  // Generous, because machines differ and may be busy: a story that waits for something that never comes still ends.
  timeout: 240_000,
  expect: { timeout: 10_000 },
  forbidOnly: true,
  reporter: [
    ['list'],
    ['json', { outputFile: process.env['PLAYWRIGHT_REPORT'] ?? '.data/test-results/playwright.json' }],
  ],
  use: {
    // What cannot be clicked says why, long before its story ends.
    actionTimeout: 30_000,
    // The page itself is kept as it was at each step, so pictures of every moment are not worth their processor time.
    trace: { mode: 'retain-on-failure', screenshots: false },
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: [
        // Chromium refuses its sandbox to root, and containers seldom allow it to others.
        '--no-sandbox',
        // No test needs the internet; these keep the browser from calling home.
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-domain-reliability',
        '--disable-sync',
        '--no-first-run',
        '--no-pings',
      ],
    },
  },
});

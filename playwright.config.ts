import { defineConfig } from '@playwright/test';
import { findChromium } from './tools/chromium.mjs';

const executablePath = findChromium();

export default defineConfig({
  testDir: 'e2e',
  outputDir: '.data/test-results/playwright',
  globalSetup: './tools/playwright-postgres.ts',
  // The stories share one product, and that with one browser is work enough for two cores.
  workers: 1,
  timeout: 90_000,
  forbidOnly: true,
  reporter: [
    ['list'],
    ['json', { outputFile: process.env['PLAYWRIGHT_REPORT'] ?? '.data/test-results/playwright.json' }],
  ],
  use: {
    trace: 'retain-on-failure',
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

import { defineConfig } from '@playwright/test';
import endToEndTests from './playwright.config.ts';

/** `npm run screens`: takes screenshots into .data/screens instead of testing. */
export default defineConfig(endToEndTests, {
  testMatch: 'gallery.ts',
  reporter: 'line',
  // A screenshot whose element does not appear fails after 20 s, not after the long timeout of the whole run.
  use: { trace: 'off', actionTimeout: 20_000 },
});

import { defineConfig } from '@playwright/test';
import endToEndTests from './playwright.config.ts';

// Also for the workers, which load this file too: tests with the tag check more (e2e/screen-checks.ts).
process.env['TEST_LONG'] = '1';

/** The browser's part of `npm run test:long`: all screens at all widths, in both languages and themes, and tests with the tag `@long`. */
export default defineConfig(endToEndTests, {
  testIgnore: [],
  // One test visits all screens.
  timeout: 900_000,
  grep: /\.long\.spec\.ts|@long/,
});

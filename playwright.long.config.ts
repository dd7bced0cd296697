import { defineConfig } from '@playwright/test';
import endToEndTests from './playwright.config.ts';

/** The browser's part of `npm run test:long`: all screens at all widths, in all languages and themes. */
export default defineConfig(endToEndTests, {
  testMatch: '*.long.spec.ts',
  testIgnore: [],
});

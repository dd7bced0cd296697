import { defineConfig } from '@playwright/test';
import stories from './playwright.config.ts';

/** `npm run screens`: takes pictures into .data/screens instead of testing. */
export default defineConfig(stories, {
  testMatch: 'gallery.ts',
  reporter: 'line',
  // A picture whose subject does not come fails at once, not at the end of the long time that all pictures have.
  use: { trace: 'off', actionTimeout: 20_000 },
});

import { defineConfig } from 'vitest/config';

/** The pictures of `npm run screens` in Firefox and WebKit. */
export default defineConfig({
  test: { include: ['web/test/interop/gallery.ts'], hookTimeout: 120_000 },
});

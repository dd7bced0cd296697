import { defineConfig } from 'vitest/config';

/** Tests with real nodes and wallets: `npm run test:interop` installs them. */
export default defineConfig({
  test: {
    include: ['api/test/interop/*.interop.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});

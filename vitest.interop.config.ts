import { defineConfig } from 'vitest/config';

/** Tests with real third-party programs: `npm run test:interop` installs them. */
export default defineConfig({
  test: {
    include: ['{api,gateway,web}/test/interop/*.interop.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // They mostly wait for the programs.
    maxWorkers: 2,
  },
});

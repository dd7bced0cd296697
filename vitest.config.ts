import os from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['tools/vitest-postgres.ts'],
    include: ['{contract,api,gateway,web,tools,bench}/**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    // The default leaves one processor idle, which is half of a machine with two.
    maxWorkers: os.availableParallelism(),
    // The first query of a test file waits for its database to be cloned, while others clone theirs.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    coverage: { provider: 'v8', include: ['{contract,api,gateway}/src/**'] },
  },
});

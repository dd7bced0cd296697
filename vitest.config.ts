import os from 'node:os';
import { defineConfig, type TestUserConfig } from 'vitest/config';

/** Projects inherit the options below. */
const project = (test: TestUserConfig) => ({ extends: true as const, test });

export default defineConfig({
  test: {
    exclude: ['**/node_modules/**', '**/dist/**'],
    projects: [
      // Not isolated: reloading the API's modules for each test file took half of the time, and only the web app's tests mock modules.
      project({
        name: 'programs',
        include: ['{contract,api,gateway,tools,bench}/**/*.test.ts'],
        isolate: false,
        globalSetup: ['tools/vitest-postgres.ts'],
      }),
      project({ name: 'web', include: ['web/**/*.test.{ts,tsx}'] }),
    ],
    // Three more workers than processors, because tests of failing networks and of timeouts mostly wait.
    maxWorkers: os.availableParallelism() + 3,
    // Generous, because machines may be slow or busy; they only end tests that would hang.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    coverage: { provider: 'v8', include: ['{contract,api,gateway}/src/**'] },
  },
});

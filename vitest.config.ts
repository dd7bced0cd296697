import fs from 'node:fs';
import os from 'node:os';
import { defineConfig, type TestUserConfig } from 'vitest/config';

/** Projects inherit the options below. */
const project = (test: TestUserConfig) => ({ extends: true as const, test });

const PROGRAMS = ['contract', 'api', 'gateway', 'bin', 'tools', 'bench'];
/** @returns the tests below a folder whose text matches */
const findTests = (folder: string, pattern: RegExp) =>
  fs
    .readdirSync(new URL(folder, import.meta.url), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => /\.test\.tsx?$/.test(file) && !file.includes('/node_modules/'))
    .filter((file) => pattern.test(fs.readFileSync(new URL(file, import.meta.url), 'utf8')));

/** `npm run test:long` runs only the tests with the tags. */
const isLong = process.env['TEST_LONG'] === '1';
/** `npm test` leaves out the tests with the tag `thorough`, and does not load files that have no others. */
const isShort = process.env['TEST_SHORT'] === '1';
const excluded = [
  '**/node_modules/**',
  '**/dist/**',
  ...(isLong ? [] : ['**/*.long.test.ts']),
  ...(isShort ? [...PROGRAMS, 'web/src'].flatMap((folder) => findTests(folder, /@module-tag thorough/)) : []),
];

/**
 * Tests that replace modules or set what is global: timers, the network. They get modules of their own. Those that only move a clock do not:
 * reading it again is all that other code does, and each such file took seconds to load the API. So do those that count the objects of the heap:
 * in that of many test files, each count takes a second.
 */
const NEEDS_OWN_MODULES =
  /vi\.(?:mock|doMock|resetModules|stubGlobal|useFakeTimers)\((?!\{ toFake: \['(?:Date|performance)'\])|spyOn\(globalThis\b.*\.mock|startSandbox|queryObjects\(|new HeldTimers|test\/browser\.ts|i18next\.init\(/;
const findIsolated = (folder: string) => findTests(folder, NEEDS_OWN_MODULES);

const programs: TestUserConfig = { globalSetup: ['tools/vitest-postgres.ts'] };
/** What clients of a gateway meet has two implementations: sockets of native code, where there is any, and those of Node. */
const CLIENTS = [
  'gateway/src/listeners/*.test.ts',
  'gateway/src/{early-answers,overload,closing-gateway,gateway}.test.ts',
  'gateway/src/exits/{local-address,source-ports}.test.ts',
];
const isolatedPrograms = PROGRAMS.flatMap(findIsolated);
const isolated = findIsolated('web/src');

/** Tests of the web app do not wait for other programs. Each worker loads the whole app, so there are fewer, after those of the programs. */
const web: TestUserConfig = { maxWorkers: os.availableParallelism(), sequence: { groupOrder: 1 } };
const pages: TestUserConfig = { ...web, environment: 'happy-dom', setupFiles: ['web/test/simulated-browser.ts'] };

export default defineConfig({
  test: {
    exclude: excluded,
    tags: [
      {
        name: 'long',
        description: 'Slow by nature: `npm run test:long` runs it, with larger counts (tools/test-scale.ts)',
      },
      {
        name: 'thorough',
        description:
          'Goes on where another test shows the same rule: not in `npm test`, but in `npm run test:long` and by itself',
      },
    ],
    // Not isolated where possible: reloading the modules for each test file took half of the time.
    projects: [
      project({
        ...programs,
        name: 'programs',
        include: PROGRAMS.map((folder) => `${folder}/**/*.test.ts`),
        exclude: [...excluded, ...isolatedPrograms],
        isolate: false,
      }),
      project({
        ...programs,
        name: 'without-native-code',
        include: CLIENTS,
        exclude: [...excluded, ...isolatedPrograms],
        isolate: false,
        env: { ACCELERATOR: 'off' },
      }),
      // Threads start in half of the time.
      project({ ...programs, name: 'programs-isolated', pool: 'threads', include: isolatedPrograms }),
      project({
        ...web,
        name: 'web',
        include: ['web/**/*.test.ts'],
        exclude: [...excluded, ...isolated],
        setupFiles: ['web/test/texts.ts'],
        isolate: false,
      }),
      project({
        ...web,
        name: 'web-isolated',
        pool: 'threads',
        include: isolated.filter((file) => file.endsWith('.ts')),
      }),
      // Screens in a simulated browser.
      project({
        ...pages,
        name: 'pages',
        include: ['web/**/*.test.tsx'],
        exclude: [...excluded, ...isolated],
        isolate: false,
      }),
      project({ ...pages, name: 'pages-isolated', include: isolated.filter((file) => file.endsWith('.tsx')) }),
    ],
    // Without layout nothing can take the focus.
    onConsoleLog: (log) => !log.startsWith('[@mantine/hooks/use-focus-trap]'),
    // One more than processors, because tests wait for PostgreSQL. Each further one takes three seconds of processor time: it loads and
    // compiles the API again.
    maxWorkers: os.availableParallelism() + 1,
    // Generous, because machines may be slow or busy; they only end tests that would hang.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    coverage: { provider: 'v8', include: ['{contract,api,gateway}/src/**'] },
  },
});

// @ts-check
/** `npm test`: everything that must pass before a change is merged, the fast checks first; and `npm run check`, a part of it. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTests, listChanged, readCode } from './changed-tests.mjs';
import { ensureHeadlessShell } from './chromium.mjs';
import { readDescriptorLimit, requireDescriptors } from './descriptors.mjs';
import { reportFailure, Problem } from './problem.mjs';
import { runConcurrently } from './run-concurrently.mjs';
import { slowProcessorDown } from './slow-processor.mjs';
import {
  countPlaywright,
  countVitest,
  describeTimes,
  readPlaywrightFiles,
  readProcessorSeconds,
  readVitestFiles,
  StepTimes,
} from './test-report.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const results = path.join(root, '.data/test-results');
const vitestReport = path.join(results, 'vitest.json');
const playwrightReport = path.join(results, 'playwright.json');

/** @param {string} program one of node_modules/.bin */
const binary = (program) => path.join(root, 'node_modules/.bin', program);

/** The environment of a production shell must not change the tests. */
const environment = () => ({ ...process.env, NODE_ENV: 'test', PLAYWRIGHT_REPORT: playwrightReport });

/** The slowest first, so that it does not run alone at the end. oxlint reports the compiler's errors too: one pass instead of ten. */
const CHECKS = [
  ['oxlint', '--type-aware', '--type-check', '--deny-warnings', '-c', 'oxlint.config.mjs'],
  ['knip'],
  ['oxfmt', '--check'],
].map(([program = '', ...args]) => ({
  name: [program, ...args.slice(0, 2)].join(' '),
  command: binary(program),
  args,
}));
/** Each page has a limit for its JavaScript. */
const BUNDLE_SIZES = { name: 'bundle sizes', command: process.execPath, args: ['bench/web/bundle-size.mjs'] };

/** As many as Vitest has workers on one core (vitest.config.ts): the tests get half of it. */
const SLOW_LOOPS = 2;

/** The part of oxlint that checks types is a program in Go, whose collector by default takes a third of its processor time. */
const GO_COLLECTOR_PERCENT = '400';

/** Format, lint, dead code and types. @param {readonly import('./run-concurrently.mjs').Step[]} steps */
const runChecks = (steps) =>
  runConcurrently(steps, {
    concurrency: os.availableParallelism(),
    cwd: root,
    env: { GOGC: GO_COLLECTOR_PERCENT, ...environment() },
  });

/** @param {string} program @param {string[]} args */
function runOrThrow(program, ...args) {
  const { status, signal } = spawnSync(binary(program), args, { cwd: root, stdio: 'inherit', env: environment() });
  if (status !== 0) throw new Problem(`${program} ${args.join(' ')}: failed (${signal ?? status})`, status ?? 1);
}

/** @param {string[]} args */
const runVitest = (...args) =>
  runOrThrow('vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${vitestReport}`, ...args);

/** Fails without a browser. @param {string[]} args */
function runPlaywright(...args) {
  process.env['CHROMIUM'] = ensureHeadlessShell();
  runOrThrow('playwright', 'test', ...args);
}

/**
 * Runs the steps, and prints where the time went and the result.
 * @param {(times: StepTimes) => Promise<void>} run @returns {Promise<number>} the exit code
 */
async function report(run) {
  fs.rmSync(results, { recursive: true, force: true });
  fs.mkdirSync(results, { recursive: true });
  const times = new StepTimes();
  let exitCode = 0;
  try {
    await run(times);
  } catch (error) {
    exitCode = reportFailure(error);
  }
  const files = [...readVitestFiles(root, vitestReport), ...readPlaywrightFiles(root, playwrightReport)];
  console.log(`\n${describeTimes({ steps: times.steps, files, processorSeconds: readProcessorSeconds() })}`);
  return summarise(exitCode);
}

/** @param {() => Promise<void>} prepare installs and builds @returns {Promise<number>} the exit code */
export function test(prepare) {
  return report(async (times) => {
    requireDescriptors(readDescriptorLimit());
    process.env['TEST_SHORT'] = '1';
    await times.measure('install and build', prepare);
    await times.measure('format, lint, types', () => runChecks([...CHECKS, BUNDLE_SIZES]));
    await times.measure('unit and integration tests', () => runVitest('--tags-filter=!thorough'));
    await times.measure('end-to-end tests', () => runPlaywright());
  });
}

/**
 * `npm run test:long`: what is slow by nature.
 * @param {() => Promise<void>} prepare installs and builds @returns {Promise<number>} the exit code
 */
export function testLong(prepare) {
  return report(async (times) => {
    requireDescriptors(readDescriptorLimit());
    process.env['TEST_LONG'] = '1';
    await times.measure('install and build', prepare);
    await times.measure('long tests', () => runVitest('--tags-filter=long || thorough'));
    await times.measure('long end-to-end tests', () => runPlaywright('-c', 'playwright.long.config.ts'));
  });
}

/**
 * `npm run test:slow`: unit and integration tests with about a quarter of two cores, to find tests that depend on how fast the machine is.
 * @param {() => Promise<void>} prepare installs and builds @returns {Promise<number>} the exit code
 */
export function testSlow(prepare) {
  return report(async (times) => {
    requireDescriptors(readDescriptorLimit());
    await times.measure('install and build', prepare);
    slowProcessorDown({ loops: SLOW_LOOPS });
    await times.measure('unit and integration tests on a slow machine', () => runVitest());
  });
}

/** `npm run check`, for the time between two runs of `npm test`. @returns {Promise<number>} the exit code */
export function check() {
  return report(async (times) => {
    await times.measure('format, lint, types', () => runChecks(CHECKS));
    const tests = findTests(readCode(root), listChanged(root));
    console.log(`Running ${tests.length} test files that belong to the change.`);
    await times.measure('tests of what changed', () => runVitest(...tests));
  });
}

/** Prints the result as the last line, which scripts can parse. @param {number} exitCode */
function summarise(exitCode) {
  const counts = [countVitest(vitestReport), countPlaywright(playwrightReport)];
  const passed = counts.reduce((sum, count) => sum + count.passed, 0);
  const failedTests = counts.reduce((sum, count) => sum + count.failed, 0);
  // A failed check that is not a test, such as the type check, counts as one failure: a failed run never reports "0 failed".
  const failed = exitCode !== 0 && failedTests === 0 ? 1 : failedTests;
  console.log(`\n${passed} passed, ${failed} failed`);
  if (passed + failed === 0) return 1;
  return exitCode === 0 && failed > 0 ? 1 : exitCode;
}

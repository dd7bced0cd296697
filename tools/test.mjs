// @ts-check
/** `npm test`: everything that must hold before a change is merged, the fast checks first. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureChromium } from './chromium.mjs';
import { listEndToEndTests, runEndToEnd } from './end-to-end.mjs';
import { explain, Problem } from './problem.mjs';
import { runSideBySide } from './side-by-side.mjs';
import { countPlaywright, countVitest } from './test-count.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const results = path.join(root, '.data/test-results');
const vitestReport = path.join(results, 'vitest.json');
const playwrightReport = path.join(results, 'playwright.json');

/** The long ones first, so that none of them is left to run alone at the end. */
const CHECKS = [
  ['oxlint', '--type-aware', '--deny-warnings', '-c', 'oxlint.config.mjs'],
  ...['web', 'api', 'bench'].map((workspace) => ['tsc', '-p', workspace]),
  ['knip'],
  ...['attacks', 'contract', 'e2e', 'faults', 'gateway', 'tools'].map((workspace) => ['tsc', '-p', workspace]),
  ['oxfmt', '--check'],
];

/** @param {string} program one of node_modules/.bin */
const binary = (program) => path.join(root, 'node_modules/.bin', program);

/** A shell that is set up for production must not change what the tests see. */
const environment = () => ({ ...process.env, NODE_ENV: 'test', PLAYWRIGHT_REPORT: playwrightReport });

function check() {
  const steps = CHECKS.map(([program = '', ...args]) => ({
    name: [program, ...args.slice(0, 2)].join(' '),
    command: binary(program),
    args,
  }));
  // No page may load more JavaScript than it is allowed.
  steps.push({ name: 'bundle sizes', command: process.execPath, args: ['bench/web/bundle-size.mjs'] });
  return runSideBySide(steps, { width: os.availableParallelism(), cwd: root, env: environment() });
}

/** @param {string} program @param {string[]} args */
function must(program, ...args) {
  const startedAt = performance.now();
  const { status, signal } = spawnSync(binary(program), args, { cwd: root, stdio: 'inherit', env: environment() });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (status !== 0) throw new Problem(`${program} ${args.join(' ')}: failed (${signal ?? status})`, status ?? 1);
  console.log(`✓ ${program} ${args.slice(0, 2).join(' ')} (${seconds} s)`);
}

/** @param {() => Promise<void>} prepare installs and builds @returns {Promise<number>} the exit code */
export async function test(prepare) {
  fs.rmSync(results, { recursive: true, force: true });
  fs.mkdirSync(results, { recursive: true });
  let exitCode = 0;
  try {
    await prepare();
    await check();
    must('vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${vitestReport}`);
    runEndToEnd({
      findBrowser: ensureChromium,
      listTests: () => listEndToEndTests(root),
      runTests: (browser) => {
        process.env['CHROMIUM'] = browser;
        must('playwright', 'test');
      },
    });
  } catch (error) {
    exitCode = explain(error);
  }
  return summarise(exitCode);
}

/** Prints the line that a reader, or a script, looks for at the very end. @param {number} exitCode */
function summarise(exitCode) {
  const counts = [countVitest(vitestReport), countPlaywright(playwrightReport)];
  const passed = counts.reduce((sum, count) => sum + count.passed, 0);
  const failedTests = counts.reduce((sum, count) => sum + count.failed, 0);
  // A check that is no test, such as the types, counts as one failure: the line never looks green when the command is red.
  const failed = exitCode !== 0 && failedTests === 0 ? 1 : failedTests;
  console.log(`\n${passed} passed, ${failed} failed`);
  if (passed + failed === 0) return 1;
  return exitCode === 0 && failed > 0 ? 1 : exitCode;
}

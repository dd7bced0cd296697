// @ts-check
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { Problem } from './problem.mjs';

/**
 * @typedef {object} EndToEndSteps
 * @property {() => string} findBrowser the path of Chromium
 * @property {() => string[]} listTests
 * @property {(browser: string) => void} runTests
 */

/**
 * Runs the end-to-end tests. Without a browser it lists the tests that were not run, and fails.
 * @param {EndToEndSteps} steps @throws Problem
 */
export function runEndToEnd({ findBrowser, listTests, runTests }) {
  let browser;
  try {
    browser = findBrowser();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const names = listTests();
    throw new Problem(
      [`${names.length} end-to-end tests were not run:`, ...names.map((name) => `  ${name}`), error.message].join('\n'),
      error.exitCode,
    );
  }
  runTests(browser);
}

/** @param {string} root @param {string[]} [args] @returns {string[]} all end-to-end tests by file and title */
export function listEndToEndTests(root, args = []) {
  const { stdout } = spawnSync(
    path.join(root, 'node_modules/.bin/playwright'),
    ['test', '--list', '--reporter=list', ...args],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('  '))
    .map((line) => line.trim());
}

// @ts-check
import fs from 'node:fs';

/** @typedef {{ passed: number, failed: number }} TestCount */

/** A run that ended before its tests has no report. @param {string} file @returns {any} */
export function readReport(file) {
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined;
}

/** @param {string} file @returns {TestCount} */
export function countVitest(file) {
  const report = readReport(file);
  return { passed: report?.numPassedTests ?? 0, failed: report?.numFailedTests ?? 0 };
}

/** A flaky test counts as failed: tests are not retried. @param {string} file @returns {TestCount} */
export function countPlaywright(file) {
  const stats = readReport(file)?.stats;
  return { passed: stats?.expected ?? 0, failed: (stats?.unexpected ?? 0) + (stats?.flaky ?? 0) };
}

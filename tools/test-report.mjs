// @ts-check
/** What a test run prints at its end: how many tests passed, and where the time went. */
import fs from 'node:fs';
import path from 'node:path';

/** @typedef {{ passed: number, failed: number }} TestCount */
/** @typedef {{ name: string, seconds: number }} Time */

const SLOWEST_FILES = 10;
/** The unit of the times in /proc, which is the same on all Linux systems. */
const TICKS_PER_SECOND = 100;

/** A run that ended before its tests has no report. @param {string} file @returns {any} */
function readReport(file) {
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

/** Measures the steps of a run, also one that fails. */
export class StepTimes {
  /** @type {Time[]} */
  steps = [];

  /** @template T @param {string} name @param {() => T | Promise<T>} work @returns {Promise<T>} */
  async measure(name, work) {
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.steps.push({ name, seconds: (performance.now() - startedAt) / 1000 });
    }
  }
}

/** @param {string} root @param {string} file @returns {Time[]} */
export function readVitestFiles(root, file) {
  /** @type {{ name: string, startTime: number, endTime: number }[]} */
  const results = readReport(file)?.testResults ?? [];
  return results.map(({ name, startTime, endTime }) => ({
    name: path.relative(root, name),
    seconds: (endTime - startTime) / 1000,
  }));
}

/** @typedef {{ specs: { tests: { results: { duration: number }[] }[] }[], suites?: Suite[] }} Suite */

/** The sum of a file's tests, which may run at the same time. @param {string} root @param {string} file @returns {Time[]} */
export function readPlaywrightFiles(root, file) {
  const report = readReport(file);
  /** @type {(Suite & { file: string })[]} */
  const suites = report?.suites ?? [];
  return suites.map((suite) => ({
    name: path.relative(root, path.join(report.config.rootDir, suite.file)),
    seconds: sumDurations(suite) / 1000,
  }));
}

/** @param {Suite} suite @returns {number} in milliseconds */
function sumDurations({ specs, suites = [] }) {
  const results = specs.flatMap(({ tests }) => tests.flatMap(({ results }) => results));
  const own = results.reduce((sum, { duration }) => sum + duration, 0);
  return suites.reduce((sum, suite) => sum + sumDurations(suite), own);
}

/**
 * The user and system time of this process and of those that it has waited for, as `time` shows it: without PostgreSQL, which runs
 * in the background. Undefined where there is no /proc.
 * @returns {number | undefined}
 */
export function readProcessorSeconds() {
  if (!fs.existsSync('/proc/self/stat')) return undefined;
  const stat = fs.readFileSync('/proc/self/stat', 'utf8');
  // The name of the program, in parentheses, may contain spaces. utime is field 14, cstime field 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks / TICKS_PER_SECOND;
}

/** @param {{ steps: Time[], files: Time[], processorSeconds: number | undefined }} times */
export function describeTimes({ steps, files, processorSeconds }) {
  const slowest = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, SLOWEST_FILES);
  const total = steps.reduce((sum, { seconds }) => sum + seconds, 0);
  return [
    'Where the time went:',
    ...steps.map(describe),
    describe({ name: 'in total', seconds: total }),
    ...(processorSeconds === undefined ? [] : [describe({ name: 'user and system time', seconds: processorSeconds })]),
    ...(slowest.length === 0 ? [] : ['The slowest test files:', ...slowest.map(describe)]),
  ].join('\n');
}

/** @param {Time} time */
const describe = ({ name, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${name}`;

// @ts-check
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * One of our programs while it runs. `exited` is its exit code, 128 + n after signal n.
 * @typedef {{ pid: number, exited: Promise<number>, isEnding: () => boolean, end: (graceMs: number) => Promise<void>, kill: () => Promise<void> }} Child
 */

const SIGNAL_NUMBERS = /** @type {Record<string, number>} */ ({ SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 });

/**
 * V8's semi-space, large enough for the young objects of whole batches (MiB). With the default of 16 they are copied repeatedly while
 * the database works, which took a third of the CPU time of a gateway's report. The memory is allocated on demand.
 */
const YOUNG_SPACE_MIB = 64;

/**
 * V8 collects the old space when it has grown by this percentage of what was in use after the last collection. Its default is up to 300:
 * after a burst of thousands of pipelined requests, 150 MB were in use and 500 MB of garbage followed.
 */
const HEAP_GROWTH_PERCENT = 100;

/**
 * @param {string[]} script relative to the checkout, and its arguments
 * @param {NodeJS.ProcessEnv} env
 * @param {string} [logFile] receives the output of the program; default: the terminal
 * @returns {Child}
 */
export function startChild(script, env, logFile) {
  const log = logFile === undefined ? undefined : fs.openSync(logFile, 'a');
  // Without --enable-source-maps: Node creates a stack trace for each connection that clients break, and mapping them took most of the
  // CPU time under attack. NODE_OPTIONS=--enable-source-maps turns it on; names of functions and files are in the bundles.
  const heap = [`--max-semi-space-size=${YOUNG_SPACE_MIB}`, `--heap-growing-percent=${HEAP_GROWTH_PERCENT}`];
  const child = spawn(process.execPath, [...heap, ...script], {
    cwd: root,
    env,
    stdio: ['ignore', log ?? 'inherit', log ?? 'inherit'],
  });
  if (log !== undefined) fs.closeSync(log);
  let ending = false;
  let running = true;
  /** @type {Promise<number>} */
  const exited = new Promise((resolve) => {
    const settle = (/** @type {number} */ code) => {
      running = false;
      resolve(code);
    };
    child.once('error', () => settle(127));
    child.once('exit', (code, signal) => settle(code ?? 128 + (SIGNAL_NUMBERS[signal ?? ''] ?? 0)));
  });
  const kill = async () => {
    ending = true;
    if (running) child.kill('SIGKILL');
    await exited;
  };
  return {
    pid: child.pid ?? 0,
    exited,
    isEnding: () => ending,
    kill,
    async end(graceMs) {
      // Only one SIGTERM: a program may treat a second one as "stop at once" and interrupt its drain.
      if (!ending && running) child.kill('SIGTERM');
      ending = true;
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

// @ts-check
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * One of our programs while it runs. `exited` is its exit code, 128 + n where a signal ended it.
 * @typedef {{ pid: number, exited: Promise<number>, isEnding: () => boolean, end: (graceMs: number) => Promise<void>, kill: () => Promise<void> }} Child
 */

const SIGNAL_NUMBERS = /** @type {Record<string, number>} */ ({ SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 });

/**
 * Room for the young objects of whole batches (MiB). With V8's 16 they are copied again and again while the database works, which
 * took a third of the processor time of a gateway's report. It is only taken when it is needed.
 */
const YOUNG_SPACE_MIB = 64;

/**
 * @param {string} script relative to the checkout
 * @param {NodeJS.ProcessEnv} env
 * @param {string} [logFile] takes what the program prints; without it the terminal does
 * @returns {Child}
 */
export function startChild(script, env, logFile) {
  const log = logFile === undefined ? undefined : fs.openSync(logFile, 'a');
  // Without --enable-source-maps: Node makes the stack of each connection that strangers break, and with maps these took most of the
  // processor while they did. NODE_OPTIONS=--enable-source-maps turns them on; names of functions and files are in the bundles.
  const child = spawn(process.execPath, [`--max-semi-space-size=${YOUNG_SPACE_MIB}`, script], {
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
      // One SIGTERM: a program may take a second one as "at once", in the middle of its drain.
      if (!ending && running) child.kill('SIGTERM');
      ending = true;
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

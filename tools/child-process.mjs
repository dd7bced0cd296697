// @ts-check
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * One of our programs while it runs. `exited` is its exit code, 128 + n after signal n.
 * @typedef {{ pid: number, exited: Promise<number>, isEnding: () => boolean, end: (graceMs: number) => Promise<void>, kill: () => Promise<void> }} Child
 */

const SIGNAL_NUMBERS = /** @type {Record<string, number>} */ ({ SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 });

/** Of a program or a command whose settings are the environment. @param {string[]} words @returns {string[]} */
export const cellhop = (...words) => [path.join(root, 'bin/cellhop'), '--npm', ...words];

/**
 * @param {string[]} command
 * @param {NodeJS.ProcessEnv} env
 * @param {string} [logFile] receives the output of the program; default: the terminal
 * @returns {Child}
 */
export function startChild([program = '', ...values], env, logFile) {
  const log = logFile === undefined ? undefined : fs.openSync(logFile, 'a');
  const child = spawn(program, values, {
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

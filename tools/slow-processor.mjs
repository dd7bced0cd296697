// @ts-check
/** A slow machine: one core, which busy loops share. For `test:slow`. */
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { Problem } from './problem.mjs';

/** Ends with the process that started it, however that ends. */
const BUSY_LOOP = 'while (process.ppid === Number(process.argv[1]));';

/**
 * Until this process ends, it and those that it starts run on one core shared with busy loops.
 * @param {{ loops: number, platform?: string }} options each loop takes as much of the core as one busy process of the caller
 * @throws Problem where this is not possible
 */
export function slowProcessorDown({ loops, platform = process.platform }) {
  if (platform !== 'linux') throw new Problem(`test:slow needs Linux, where taskset exists; this is ${platform}.`);
  const core = firstCore(fs.readFileSync('/proc/self/status', 'utf8'));
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', core, String(process.pid)], { stdio: 'pipe' });
  for (let started = 0; started < loops; started++) {
    spawn(process.execPath, ['--eval', BUSY_LOOP, String(process.pid)], { stdio: 'ignore' }).unref();
  }
}

/** @param {string} status of a process, as in /proc @returns {string} the first core that it may use */
export function firstCore(status) {
  const core = /^Cpus_allowed_list:\s*(\d+)/m.exec(status)?.[1];
  if (core === undefined) throw new Problem('/proc/self/status does not say which cores this process may use.');
  return core;
}

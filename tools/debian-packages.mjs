// @ts-check
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';

const TIMEOUT_MS = 10 * 60_000;

/** Runs apt-get after an update, on Debian or Ubuntu as root; elsewhere nothing. @param {string[]} command its last word is the package */
export function runApt(command, cwd = '/') {
  if (process.getuid?.() !== 0 || !fs.existsSync('/usr/bin/apt-get')) return;
  console.log(`Installing ${command.at(-1)} (apt-get) ...`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update', '-qq'], command])
    spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], cwd, env, timeout: TIMEOUT_MS });
}

/** @param {string} name */
export function installDebianPackage(name) {
  runApt(['install', '-y', '-qq', '--no-install-recommends', name]);
}

// @ts-check
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Problem } from './problem.mjs';

/**
 * Runs `npm ci` unless node_modules was installed from this very lock file. The stamp lies inside node_modules, so it goes
 * with it when somebody deletes it or an install is interrupted.
 * @param {string} root
 */
export function installDependencies(root) {
  const hash = createHash('sha256')
    .update(fs.readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = path.join(root, 'node_modules/.installed');
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === hash) return;
  if (installedByHand(root)) {
    fs.writeFileSync(stamp, hash);
    return;
  }
  console.log('Installing the dependencies (npm ci) ...');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    // Under NODE_ENV=production npm would leave out the build tools.
    env: { ...process.env, NODE_ENV: 'development' },
  });
  if (status !== 0) throw new Problem('npm ci failed; its own message stands above.', status ?? 1);
  fs.writeFileSync(stamp, hash);
}

/** @typedef {{ packages: Record<string, { version?: string, optional?: boolean }> }} LockFile */

/**
 * npm notes what it installed when it is done. Where that agrees with the lock file, somebody has run `npm ci` already and
 * half a minute is saved.
 * @param {string} root
 */
function installedByHand(root) {
  const note = path.join(root, 'node_modules/.package-lock.json');
  if (!fs.existsSync(note)) return false;
  const installed = readPackages(note);
  return Object.entries(readPackages(path.join(root, 'package-lock.json'))).every(
    ([place, { version, optional }]) =>
      !place.startsWith('node_modules/') ||
      (installed[place] ? installed[place].version === version : optional === true),
  );
}

/** @param {string} file */
function readPackages(file) {
  return /** @type {LockFile} */ (JSON.parse(fs.readFileSync(file, 'utf8'))).packages;
}

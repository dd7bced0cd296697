// @ts-check
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Problem } from './problem.mjs';

/**
 * Runs `npm ci` unless node_modules was installed from the same lock file. The stamp is inside node_modules, so an interrupted
 * install or a deleted directory has none.
 * @param {string} root
 */
export function installDependencies(root) {
  const hash = createHash('sha256')
    .update(fs.readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = path.join(root, 'node_modules/.installed');
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === hash) return;
  if (isInstalled(root)) {
    fs.writeFileSync(stamp, hash);
    return;
  }
  console.log('Installing the dependencies (npm ci) ...');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    // With NODE_ENV=production npm would omit the build tools.
    env: { ...process.env, NODE_ENV: 'development' },
  });
  if (status !== 0) throw new Problem('npm ci failed; see its output above.', status ?? 1);
  fs.writeFileSync(stamp, hash);
}

/** @typedef {{ packages: Record<string, { version?: string, optional?: boolean }> }} LockFile */

/**
 * npm records what it has installed. If that matches the lock file, `npm ci` has run already, which saves
 * half a minute.
 * @param {string} root
 */
function isInstalled(root) {
  const record = path.join(root, 'node_modules/.package-lock.json');
  if (!fs.existsSync(record)) return false;
  const installed = readPackages(record);
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

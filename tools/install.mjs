// @ts-check
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { inspectMachine } from './machine.mjs';
import { installLocked } from './npm.mjs';
import { Problem } from './problem.mjs';

/** @typedef {import('./machine.mjs').Machine} Machine */
/**
 * @typedef {{ version?: string, optional?: boolean, bin?: Record<string, string>, os?: string[], cpu?: string[], libc?: string[] }} Package
 */

const LOCK_FILE = 'package-lock.json';
/** npm writes it whenever it has changed what is installed. */
const RECORD = 'node_modules/.package-lock.json';

/**
 * Runs `npm ci` unless node_modules has what the lock file names. The stamp is inside node_modules, so an interrupted install or a deleted
 * directory has none, and it states what npm has recorded, so it ends with the next change by npm.
 * @param {string} root
 */
export function installDependencies(root) {
  const stamp = path.join(root, 'node_modules/.installed');
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === hashInstalled(root)) return;
  // `npm ci` has run already, which saves half a minute.
  if (findMissing(root).length > 0) {
    console.log('Installing the dependencies (npm ci) ...');
    const problem = installLocked(root);
    if (problem !== undefined) throw new Problem(`The dependencies could not be installed: ${problem}`);
    const missing = findMissing(root);
    // npm succeeds without an optional package that it cannot reach.
    if (missing.length > 0)
      throw new Problem(`npm ci has not installed ${missing.slice(0, 5).join(', ')}: try again with a connection.`);
  }
  fs.writeFileSync(stamp, hashInstalled(root));
}

/** @param {string} root */
function hashInstalled(root) {
  const hash = createHash('sha256');
  for (const file of [LOCK_FILE, RECORD].map((name) => path.join(root, name)))
    hash.update(fs.existsSync(file) ? fs.readFileSync(file) : '');
  return hash.digest('hex');
}

/** @param {string} root @returns {string[]} what the lock file names for this machine, packages and commands, and is not there */
function findMissing(root) {
  const machine = inspectMachine();
  /** @type {Record<string, Package>} */
  const packages = readJson(path.join(root, LOCK_FILE)).packages;
  return Object.entries(packages)
    .filter(([place, each]) => place.includes('node_modules/') && isNeeded(each, machine))
    .flatMap(([place, { version, bin, optional }]) => {
      const file = path.join(root, place, 'package.json');
      if (!fs.existsSync(file) || (version !== undefined && readJson(file).version !== version)) return [place];
      // npm of Debian 13 links no command of an optional package.
      const commands = optional || place.lastIndexOf('node_modules/') > 0 ? [] : Object.keys(bin ?? {});
      return commands
        .map((name) => `node_modules/.bin/${name}`)
        .filter((link) => !fs.existsSync(path.join(root, link)));
    });
}

/** An optional package that states no platform belongs to another optional one. @param {Package} each @param {Machine} machine */
function isNeeded({ optional, os, cpu, libc }, { platform, arch, hasMusl }) {
  if (!optional) return true;
  if (!os && !cpu) return false;
  const ownLibc = hasMusl ? 'musl' : 'glibc';
  return (os?.includes(platform) ?? true) && (cpu?.includes(arch) ?? true) && (libc?.includes(ownLibc) ?? true);
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

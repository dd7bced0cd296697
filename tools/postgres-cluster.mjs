// @ts-check
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { canEnter, makeEnterable, run, SHARED_DIRECTORY } from './postgres-binaries.mjs';
import { Problem } from './problem.mjs';

/** @typedef {import('./postgres-binaries.mjs').Binaries} Binaries */
/** @typedef {import('./postgres-binaries.mjs').ServerUser} ServerUser */
/** @typedef {{ directory: string, password: string }} Cluster */

export const DATABASE_USER = 'cellhop';

/**
 * The requested directory, unless the server's user cannot access it (a checkout below a home of mode 0700): then one
 * outside, with the same name at each start.
 * @param {string} wanted @param {ServerUser} user
 */
async function chooseDirectory(wanted, user) {
  fs.mkdirSync(path.dirname(wanted), { recursive: true });
  if (await canEnter(path.dirname(wanted), user)) return wanted;
  const outside = path.join(SHARED_DIRECTORY, 'data');
  makeEnterable(SHARED_DIRECTORY);
  makeEnterable(outside);
  const fingerprint = createHash('sha256').update(wanted).digest('hex').slice(0, 16);
  return path.join(outside, `${path.basename(wanted)}-${fingerprint}`);
}

/** @param {string} directory */
function requireOwnership(directory) {
  const mine = process.getuid?.();
  if (mine === undefined || mine === 0 || fs.statSync(directory).uid === mine) return;
  throw new Problem(
    `${directory} was created by another user of this machine: run as that user, or choose another place with DATA_DIR.`,
  );
}

/**
 * initdb creates a draft that is then renamed, so an interrupted run never leaves an incomplete cluster.
 * @param {Binaries} binaries @param {ServerUser} user @param {string} directory @param {string} password @param {boolean} durable
 */
async function initialise(binaries, user, directory, password, durable) {
  const draft = `${directory}.draft-${process.pid}`;
  const passwordFile = path.join(os.tmpdir(), `cellhop-${randomBytes(8).toString('hex')}`);
  fs.rmSync(draft, { recursive: true, force: true });
  fs.mkdirSync(draft, { mode: 0o700 });
  fs.writeFileSync(passwordFile, password, { mode: 0o600 });
  try {
    if (user) for (const file of [draft, passwordFile]) fs.chownSync(file, user.uid, user.gid);
    const access = ['-U', DATABASE_USER, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
    // The built-in provider sorts the same on every machine; the C library's rules change with its version.
    const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
    const options = ['--no-instructions', ...(durable ? [] : ['--no-sync'])];
    const { code, output } = await run(binaries.initdb, ['-D', draft, ...access, ...locale, ...options], {
      ...user,
      cwd: '/',
    });
    if (code !== 0) throw new Error(`initdb ended with ${code}: ${output}`);
    fs.renameSync(draft, directory);
  } finally {
    fs.rmSync(passwordFile, { force: true });
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Finds or creates the cluster of a data directory. Its password is in a file beside the requested directory.
 * @param {Binaries} binaries @param {ServerUser} user @param {string} wanted @param {boolean} durable
 * @returns {Promise<Cluster>}
 */
export async function openCluster(binaries, user, wanted, durable) {
  const directory = await chooseDirectory(wanted, user);
  const passwordFile = `${wanted}.password`;
  if (fs.existsSync(directory)) requireOwnership(directory);
  if (fs.existsSync(path.join(directory, 'PG_VERSION'))) {
    if (fs.existsSync(passwordFile)) return { directory, password: fs.readFileSync(passwordFile, 'utf8') };
    if (directory === wanted) {
      throw new Problem(
        `${passwordFile} is missing, so its database cannot be opened: put it back, or delete ${wanted}.`,
      );
    }
    // The user has deleted DATA_DIR to start again. The directory outside of it is renamed, not deleted.
    await run(binaries.pgCtl, ['-D', directory, '-m', 'fast', '-w', 'stop'], { ...user, cwd: '/' });
    fs.renameSync(directory, `${directory}.set-aside-${Date.now()}`);
  }
  const password = randomBytes(24).toString('hex');
  // The password first: a cluster without one is unusable, a password without a cluster is replaced at the next start.
  fs.rmSync(passwordFile, { force: true });
  fs.writeFileSync(passwordFile, password, { mode: 0o600 });
  await initialise(binaries, user, directory, password, durable);
  return { directory, password };
}

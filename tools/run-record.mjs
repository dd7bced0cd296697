// @ts-check
import fs from 'node:fs';
import path from 'node:path';
import { tryLock, writeAtomically } from './lock.mjs';
import { Problem } from './problem.mjs';
import { endOrphan, identify, isRunning } from './process-identity.mjs';

/** @typedef {import('./process-identity.mjs').Identity} Identity */
/** @typedef {{ record: (childPid: number) => void, release: () => void }} Run */

/**
 * One run of the whole product, or one of each part, per data directory. The lock identifies the live run; a file beside it lists
 * its child processes, so the next start can end those that a killed run left behind.
 * @param {string} dataDir @param {'all' | 'api' | 'worker' | 'gateway'} part @returns {Promise<Run>}
 */
export async function claimRun(dataDir, part) {
  const directory = path.join(dataDir, 'run');
  const childrenFile = (/** @type {string} */ of) => path.join(directory, `${of}.children.json`);
  const conflicting = part === 'all' ? ['all', 'api', 'worker', 'gateway'] : ['all', part];
  /** @type {import('./lock.mjs').Lock[]} */
  const locks = [];
  const release = () => {
    for (const lock of locks) lock.release();
  };
  for (const other of conflicting) {
    const { lock, holder } = tryLock(path.join(directory, `${other}.lock`));
    if (!lock) {
      release();
      const command = other === 'all' ? 'npm start' : `npm start -- ${other}`;
      throw new Problem(
        `"${command}" already runs on ${dataDir} (process ${holder.pid}): stop it, or choose another DATA_DIR.`,
      );
    }
    locks.push(lock);
    await endChildren(childrenFile(other));
  }
  // A part releases the lock of the whole product for the next part and keeps only its own.
  if (part !== 'all') locks.shift()?.release();

  /** @type {Identity[]} */
  let children = [];
  return {
    record(childPid) {
      children = [...children.filter(isRunning), identify(childPid)];
      writeAtomically(childrenFile(part), children);
    },
    release() {
      fs.rmSync(childrenFile(part), { force: true });
      release();
    },
  };
}

/** @param {string} file */
async function endChildren(file) {
  if (!fs.existsSync(file)) return;
  const orphans = /** @type {Identity[]} */ (JSON.parse(fs.readFileSync(file, 'utf8')));
  await Promise.all(orphans.map((orphan) => endOrphan(orphan)));
  fs.rmSync(file, { force: true });
}

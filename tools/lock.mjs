// @ts-check
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Problem } from './problem.mjs';
import { identify, isRunning } from './process-identity.mjs';

/** @typedef {import('./process-identity.mjs').Identity} Identity */
/** @typedef {{ release: () => void }} Lock */

/** @param {string} file */
const draftName = (file) => `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;

/**
 * Reads a file that identifies a process. Undefined if it is missing or incomplete.
 * @param {string} file @returns {Identity | undefined}
 */
function readHolder(file) {
  try {
    return /** @type {Identity} */ (JSON.parse(fs.readFileSync(file, 'utf8')));
  } catch {
    // A missing or broken file identifies no process, so no process holds the lock.
    return undefined;
  }
}

/** Replaces a file atomically: readers see the old text or the new one. @param {string} file @param {unknown} data */
export function writeAtomically(file, data) {
  const draft = draftName(file);
  fs.writeFileSync(draft, JSON.stringify(data), { mode: 0o600 });
  fs.renameSync(draft, file);
}

/** @param {string} file @returns {boolean} whether this process now holds the lock */
function create(file) {
  const draft = draftName(file);
  fs.writeFileSync(draft, JSON.stringify(identify()), { mode: 0o600 });
  try {
    // Linking is the atomic "create if absent": the file appears complete, and the call fails if the name exists.
    fs.linkSync(draft, file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  } finally {
    fs.rmSync(draft);
  }
}

/** Removes the file of a dead holder, unless another process was faster and holds the lock by now. @param {string} file */
function removeStale(file) {
  const aside = draftName(file);
  try {
    fs.renameSync(file, aside);
  } catch {
    // Another process has just removed it.
    return;
  }
  const holder = readHolder(aside);
  if (holder && isRunning(holder) && !fs.existsSync(file)) fs.renameSync(aside, file);
  else fs.rmSync(aside);
}

/** @param {string} file @returns {{ lock: Lock, holder?: undefined } | { lock?: undefined, holder: Identity }} */
export function tryLock(file) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  for (;;) {
    if (create(file)) return { lock: { release: () => fs.rmSync(file, { force: true }) } };
    const holder = readHolder(file);
    if (holder && isRunning(holder)) return { holder };
    removeStale(file);
  }
}

/**
 * @param {string} file
 * @param {{ what: string, timeoutMs?: number, log?: (line: string) => void }} options `what` completes "Waiting for ...".
 * @returns {Promise<Lock>}
 */
export async function waitForLock(file, { what, timeoutMs = 120_000, log = console.error }) {
  const startedAt = Date.now();
  let isLogged = false;
  for (;;) {
    const { lock, holder } = tryLock(file);
    if (lock) return lock;
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs)
      throw new Problem(`${what} (process ${holder.pid}) has not ended: stop it and try again.`);
    if (!isLogged && waitedMs > 1000) {
      log(`Waiting for ${what} (process ${holder.pid}) ...`);
      isLogged = true;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

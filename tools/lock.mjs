// @ts-check
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Problem } from './problem.mjs';
import { identify, isRunning } from './process-identity.mjs';

/** @typedef {import('./process-identity.mjs').Identity} Identity */
/** @typedef {{ release: () => void }} Lock */

/** @param {string} file */
const besides = (file) => `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;

/**
 * Reads a file of ours that names a process. Undefined when it is missing or not whole.
 * @param {string} file @returns {Identity | undefined}
 */
function readHolder(file) {
  try {
    return /** @type {Identity} */ (JSON.parse(fs.readFileSync(file, 'utf8')));
  } catch {
    // A missing or broken file names nobody, and nobody can hold a lock through it.
    return undefined;
  }
}

/** Replaces a file so that readers see the old text or the new one, never a half. @param {string} file @param {unknown} data */
export function writeWhole(file, data) {
  const draft = besides(file);
  fs.writeFileSync(draft, JSON.stringify(data), { mode: 0o600 });
  fs.renameSync(draft, file);
}

/** @param {string} file @returns {boolean} whether this process now holds the lock */
function create(file) {
  const draft = besides(file);
  fs.writeFileSync(draft, JSON.stringify(identify()), { mode: 0o600 });
  try {
    // A hard link appears with its whole text and fails when the name exists: the one atomic "create if absent".
    fs.linkSync(draft, file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  } finally {
    fs.rmSync(draft);
  }
}

/** Takes a dead holder's file away, unless somebody else was faster and it is a live one's by now. @param {string} file */
function removeStale(file) {
  const aside = besides(file);
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
  let told = false;
  for (;;) {
    const { lock, holder } = tryLock(file);
    if (lock) return lock;
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs)
      throw new Problem(`${what} (process ${holder.pid}) has not ended: stop it and try again.`);
    if (!told && waitedMs > 1000) {
      log(`Waiting for ${what} (process ${holder.pid}) ...`);
      told = true;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

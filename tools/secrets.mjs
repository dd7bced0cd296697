// @ts-check
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Problem } from './problem.mjs';
import { writeAtomically } from './lock.mjs';

/** @typedef {{ SECRET_KEY: string, GATEWAY_TOKEN: string }} Secrets */

/**
 * Development only: created once and kept, because a new SECRET_KEY would sign all users out and make the stored proxy
 * passwords unreadable.
 * @param {string} dataDir @returns {Secrets}
 */
export function loadOrCreateSecrets(dataDir) {
  const file = path.join(dataDir, 'secrets.json');
  if (!fs.existsSync(file)) {
    fs.mkdirSync(dataDir, { recursive: true });
    writeAtomically(file, {
      SECRET_KEY: randomBytes(32).toString('hex'),
      GATEWAY_TOKEN: randomBytes(32).toString('hex'),
    });
  }
  try {
    const { SECRET_KEY, GATEWAY_TOKEN } = /** @type {Secrets} */ (JSON.parse(fs.readFileSync(file, 'utf8')));
    if (SECRET_KEY && GATEWAY_TOKEN) return { SECRET_KEY, GATEWAY_TOKEN };
  } catch {
    // An unreadable file and one that lacks a secret both lead to the error below.
  }
  throw new Problem(`${file} is damaged: restore it, or delete ${dataDir} to begin with an empty demo.`);
}

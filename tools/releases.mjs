// @ts-check
import fs from 'node:fs';
import path from 'node:path';
import { Problem } from './problem.mjs';

/** `commit`: 40 hexadecimal digits. @typedef {{ version: string, commit: string }} Release */

/** The entries of releases.json at the root, the oldest first. @param {string} root @returns {Release[]} */
export function readReleases(root) {
  const file = path.join(root, 'releases.json');
  /** @type {unknown} */
  const listed = JSON.parse(fs.readFileSync(file, 'utf8'));
  if (!Array.isArray(listed)) throw new Problem('releases.json is not a list.');
  return listed.map((/** @type {Partial<Release> | null} */ release) => {
    const { version, commit } = release ?? {};
    if (typeof version === 'string' && typeof commit === 'string' && /^[0-9a-f]{40}$/.test(commit))
      return { version, commit };
    throw new Problem(
      `releases.json has an entry without "version" and "commit" (40 hexadecimal digits): ${JSON.stringify(release)}`,
    );
  });
}

// @ts-check
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { installDependencies } from './install.mjs';
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

/** @param {string} root @param {string[]} args */
function git(root, ...args) {
  const { status, stderr, error } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return { isDone: status === 0, reason: (error?.message ?? stderr ?? '').trim().split('\n')[0] };
}

/**
 * Checks out a release into a temporary directory, as a work tree of this clone. If a shallow clone lacks the commit, it is
 * fetched from "origin".
 * @param {string} root @param {Release} release
 * @returns {{ directory: string, remove: () => void }}
 * @throws Problem that names the release and its commit
 */
export function checkOutRelease(root, { version, commit }) {
  const hasCommit = () => git(root, 'cat-file', '-e', `${commit}^{commit}`).isDone;
  if (!hasCommit()) {
    const { reason } = git(root, 'fetch', '--quiet', '--no-tags', '--depth=1', 'origin', commit);
    if (!hasCommit())
      throw new Problem(
        `Release ${version} is commit ${commit}, which this clone does not have and "origin" did not return (${reason}). ` +
          'Fetch the whole history ("git fetch --unshallow"), or correct releases.json.',
      );
  }
  const parent = fs.mkdtempSync(path.join(os.tmpdir(), 'release-'));
  const directory = path.join(parent, 'checkout');
  const remove = () => {
    git(root, 'worktree', 'remove', '--force', directory);
    fs.rmSync(parent, { recursive: true, force: true });
  };
  const { isDone, reason } = git(root, 'worktree', 'add', '--quiet', '--detach', directory, commit);
  if (isDone) return { directory, remove };
  remove();
  throw new Problem(`Release ${version} (commit ${commit}) could not be checked out: ${reason}`);
}

/** @param {string} directory */
const readLockFile = (directory) => fs.readFileSync(path.join(directory, 'package-lock.json'), 'utf8');

/**
 * If the lock file is the same, the release uses a copy of the packages of this checkout; otherwise npm installs its own. npm links
 * workspaces relative to the checkout, so the copied links lead to those of the release.
 * @param {string} root @param {string} directory
 */
export function installRelease(root, directory) {
  const lock = readLockFile(directory);
  if (readLockFile(root) === lock)
    for (const folder of listFolders(lock).filter((each) => fs.existsSync(path.join(root, each))))
      fs.cpSync(path.join(root, folder), path.join(directory, folder), { recursive: true, verbatimSymlinks: true });
  installDependencies(directory);
}

/** The folder of the root, and those of workspaces that need another version. @param {string} lock @returns {string[]} */
function listFolders(lock) {
  const places = Object.keys(JSON.parse(lock).packages);
  return [...new Set(places.map((place) => /^.*?node_modules(?=\/)/.exec(place)?.[0] ?? 'node_modules'))];
}

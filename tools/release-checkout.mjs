// @ts-check
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { installDependencies } from './install.mjs';
import { Problem } from './problem.mjs';

/** @typedef {import('./releases.mjs').Release} Release */

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

/**
 * If the lock file is the same, the release uses the packages of this checkout; otherwise npm installs its own.
 * @param {string} root @param {string} directory
 */
export function installRelease(root, directory) {
  if (lockOf(root) !== lockOf(directory)) return installDependencies(directory);
  const packages = path.join(root, 'node_modules');
  const target = path.join(directory, 'node_modules');
  fs.mkdirSync(target);
  // One by one: a link to the whole directory would contain the workspaces of this checkout.
  for (const name of fs.readdirSync(packages)) linkPackage(path.join(packages, name), path.join(target, name));
  return undefined;
}

/** @param {string} place */
function lockOf(place) {
  return fs.readFileSync(path.join(place, 'package-lock.json'), 'utf8');
}

/** @param {string} from @param {string} to */
function linkPackage(from, to) {
  const holdsWorkspaces =
    path.basename(from).startsWith('@') && fs.readdirSync(from).some((name) => isLink(from, name));
  if (!holdsWorkspaces) return fs.symlinkSync(from, to);
  fs.mkdirSync(to);
  for (const name of fs.readdirSync(from)) {
    const source = path.join(from, name);
    // npm links workspaces relative to the checkout, so the same text leads to those of the release.
    fs.symlinkSync(isLink(from, name) ? fs.readlinkSync(source) : source, path.join(to, name));
  }
  return undefined;
}

/** @param {string} directory @param {string} name */
function isLink(directory, name) {
  return fs.lstatSync(path.join(directory, name)).isSymbolicLink();
}

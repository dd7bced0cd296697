// @ts-check
/**
 * `npm run release`: archives of this commit for both platforms in .data/release, their lists of packages and SHA256SUMS.
 * `npm run release -- VERSION` builds a release of releases.json from its own commit.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { releases } from '../../api/src/db/releases.ts';
import { buildChanged } from '../build.mjs';
import { installDependencies } from '../install.mjs';
import { Problem, reportFailure } from '../problem.mjs';
import { checkOutRelease, installRelease, readReleases } from '../releases.mjs';
import { findNativeBuild, writeArchive, writeSums } from './archive.mjs';

/** @typedef {import('./archive.mjs').Source} Source */

const PLATFORMS = /** @type {const} */ (['x64', 'arm64']);

const root = fileURLToPath(new URL('../..', import.meta.url));

try {
  await release(process.argv.slice(2));
} catch (error) {
  process.exitCode = reportFailure(error);
}

/** @param {string[]} values */
async function release([version, ...others]) {
  if (others.length > 0) throw new Problem('Name one version of releases.json, or none for this commit.');
  const output = path.join(root, '.data/release');
  fs.mkdirSync(output, { recursive: true });
  if (version === undefined) {
    if (git(root, 'status', '--porcelain') !== '')
      throw new Problem(
        'Files have changed since the last commit, which the names of the archives state: commit them.',
      );
    installDependencies(root);
    return writeAll({ directory: root, ...describeCommit(root, `${releases.own}-dev`) }, output);
  }
  const listed = readReleases(root).find((each) => each.version === version);
  if (!listed) throw new Problem(`releases.json has no version ${version}.`);
  const { directory, remove } = checkOutRelease(root, listed);
  try {
    installRelease(root, directory);
    return await writeAll({ directory, ...describeCommit(directory, version) }, output);
  } finally {
    remove();
  }
}

/** @param {Source} source @param {string} output */
async function writeAll(source, output) {
  const native = await findNativeBuild(source);
  const missing = native?.findMissingCompilers(PLATFORMS) ?? [];
  if (missing.length > 0)
    throw new Problem(`A release has native code, and compilers are missing:\n${missing.join('\n')}`);
  // Not what another command has left there.
  for (const workspace of ['api', 'gateway', 'web'])
    fs.rmSync(path.join(source.directory, workspace, 'dist'), { recursive: true, force: true });
  buildChanged(source.directory);
  const files = [];
  for (const arch of PLATFORMS) files.push(...(await writeArchive(source, arch, output)));
  console.log(`${output}:\n${writeSums(output, files)}`);
}

/** @param {string} directory @param {string} version */
function describeCommit(directory, version) {
  const [commit = '', seconds = ''] = git(directory, 'log', '-1', '--format=%H %ct').split(' ');
  return { version, commit, time: new Date(Number(seconds) * 1000) };
}

/** @param {string} directory @param {string[]} args */
function git(directory, ...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: directory, encoding: 'utf8' });
  if (status !== 0) throw new Problem(`git ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

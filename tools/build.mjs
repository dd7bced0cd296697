// @ts-check
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Problem } from './problem.mjs';

const COMMON = ['contract', 'package-lock.json', 'tsconfig.base.json', 'tools/build.mjs'];
/** The inputs of each bundle besides the workspace itself. @type {Record<string, string[]>} */
const INPUTS = {
  web: [...COMMON, 'tools/compress.mjs'],
  gateway: [...COMMON, 'tsconfig.json'],
  api: [...COMMON, 'tsconfig.json', 'tools/build-offline.mjs'],
};
const NOT_SOURCES = new Set(['dist', 'node_modules', 'test', 'migrations', 'sql']);

/** @param {string} place @returns {string[]} */
function listSources(place) {
  if (!fs.existsSync(place)) return [];
  if (fs.statSync(place).isFile()) return [place];
  return fs
    .readdirSync(place, { withFileTypes: true })
    .filter(({ name }) => !NOT_SOURCES.has(name) && !/\.test\.tsx?$/.test(name))
    .flatMap(({ name }) => listSources(path.join(place, name)))
    .sort();
}

/** @param {string} root @param {string} workspace */
export function hashSources(root, workspace) {
  const hash = createHash('sha256');
  for (const place of [workspace, ...(INPUTS[workspace] ?? [])]) {
    for (const file of listSources(path.join(root, place))) {
      hash.update(path.relative(root, file)).update('\0').update(fs.readFileSync(file)).update('\0');
    }
  }
  return hash.digest('hex');
}

/**
 * Builds the workspaces whose sources have changed since the last build. The stamp is in dist, so deleting dist deletes it.
 * @param {string} root
 */
export function buildChanged(root, workspaces = Object.keys(INPUTS)) {
  for (const workspace of workspaces) {
    const hash = hashSources(root, workspace);
    const stamp = path.join(root, workspace, 'dist/.sources');
    if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === hash) continue;
    console.log(`Building ${workspace} ...`);
    const directory = path.join(root, workspace);
    const { scripts } = JSON.parse(fs.readFileSync(path.join(directory, 'package.json'), 'utf8'));
    // Not by npm, which may be set to use another shell, or to run in other workspaces.
    const PATH = [path.join(root, 'node_modules/.bin'), process.env['PATH']].join(path.delimiter);
    const { status } = spawnSync('/bin/sh', ['-c', scripts.build], {
      cwd: directory,
      // Tests build, too: otherwise the web app would be one for development, with the paths of this machine, and a release would take it.
      env: { ...process.env, PATH, NODE_ENV: 'production' },
      stdio: 'inherit',
    });
    if (status !== 0) throw new Problem(`Building ${workspace} failed; see the output above.`, status ?? 1);
    fs.writeFileSync(stamp, hash);
  }
}

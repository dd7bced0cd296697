// @ts-check
/** Debian 13 as a directory, for tests that need it on another system. As root on Debian or Ubuntu; it needs the network. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { installDebianPackage } from './debian-packages.mjs';
import { Problem } from './problem.mjs';

export const RELEASE = 'trixie';

/** @param {string} program @param {string[]} args */
export function run(program, args) {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Problem(`${program} ${args.join(' ')} failed: ${error?.message ?? `code ${status}`}`);
}

/** Does nothing if the directory exists. @param {string} system @param {string[]} packages @param {(draft: string) => void} [complete] */
export function buildSystem(system, packages, complete = () => {}) {
  if (fs.existsSync(system)) return;
  if (process.getuid?.() !== 0) throw new Problem('This test runs as root: it changes to a system in a directory.');
  if (spawnSync('mmdebstrap', ['--version']).status !== 0) installDebianPackage('mmdebstrap');
  if (spawnSync('mmdebstrap', ['--version']).status !== 0)
    throw new Problem('mmdebstrap is missing: install the Debian package mmdebstrap (apt-get install mmdebstrap).');
  const draft = `${system}.new`;
  fs.rmSync(draft, { recursive: true, force: true });
  fs.mkdirSync(path.dirname(system), { recursive: true });
  const options = ['--aptopt=APT::Install-Recommends "false"', '--dpkgopt=force-unsafe-io'];
  const source = 'http://deb.debian.org/debian';
  run('mmdebstrap', ['--variant=minbase', `--include=${packages.join(',')}`, ...options, RELEASE, draft, source]);
  complete(draft);
  fs.renameSync(draft, system);
}

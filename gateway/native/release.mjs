// @ts-check
/** The accelerator of a release, for each processor that archives are for. A release is compiled by this file of its own commit. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { buildAccelerator, ownCompiler } from './build.mjs';

/** @typedef {'x64' | 'arm64'} Processor */
/** As Debian names them, and the packages that have them. @type {Record<Processor, { compiler: string, packages: string }>} */
const CROSS = {
  x64: { compiler: 'x86_64-linux-gnu-gcc', packages: 'gcc-x86-64-linux-gnu libc6-dev-amd64-cross' },
  arm64: { compiler: 'aarch64-linux-gnu-gcc', packages: 'gcc-aarch64-linux-gnu libc6-dev-arm64-cross' },
};
const OWN_PACKAGES = 'gcc libc6-dev';
/** Of the GNU C library: Node.js 24 runs from it on. */
const OLDEST_LIBRARY = '2.28';

/** @param {Processor} processor */
export const compilerFor = (processor) => (processor === process.arch ? ownCompiler() : CROSS[processor].compiler);

/** @param {readonly Processor[]} processors @returns {string[]} what is missing, and how it is installed */
export function findMissingCompilers(processors) {
  return processors
    .filter((processor) => describeCompiler(compilerFor(processor)) === undefined)
    .map((processor) => {
      const packages = processor === process.arch ? OWN_PACKAGES : CROSS[processor].packages;
      return `${compilerFor(processor)} for ${processor} (on Debian: apt-get install ${packages})`;
    });
}

/**
 * @param {{ processor: Processor, target: string, headers: string, compiler?: string }} options `headers`: of the Node.js of the release
 * @returns {{ problem: string } | { compiler: string }} `compiler`: which one it was, as far as the bytes depend on it
 */
export function buildForRelease({ processor, target, headers, compiler = compilerFor(processor) }) {
  const problem = buildAccelerator(target, { compiler, headers });
  if (problem !== undefined) return { problem };
  const newer = findNewerLibraries(fs.readFileSync(target, 'latin1'));
  if (newer.length > 0)
    return { problem: `it needs the GNU C library ${newer.join(', ')}, and Node.js runs from ${OLDEST_LIBRARY} on` };
  return { compiler: describeCompiler(compiler) ?? compiler };
}

/** @param {string} content of a program @returns {string[]} the versions of symbols that it needs, above the oldest library */
export function findNewerLibraries(content) {
  const versions = [...content.matchAll(/\0GLIBC_(\d+(?:\.\d+)+)(?=\0)/g)].map(([, version = '']) => version);
  const newer = versions.filter((version) => version.localeCompare(OLDEST_LIBRARY, 'en', { numeric: true }) > 0);
  return [...new Set(newer)].sort();
}

/** @param {string} compiler @returns {string | undefined} its version, and that of its linker; undefined if it is not there */
function describeCompiler(compiler) {
  // GCC begins with the name by which it was called, such as "cc".
  const version = firstLine(compiler, '--version')?.replace(/^\S+ \(/, 'gcc (');
  const linker = firstLine(compiler, '-Wl,--version');
  if (version === undefined) return undefined;
  return linker === undefined ? version : `${version}; ${linker}`;
}

/** @param {string} program @param {string[]} args */
function firstLine(program, ...args) {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? stdout.split('\n')[0] : undefined;
}

// @ts-check
/** Compiles the accelerator of tunnels. Without a compiler, or without the headers of Node.js, the gateway works without it. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('accelerator.c', import.meta.url));
/** The packages of Node.js have them beside the program. */
const HEADERS = path.join(path.dirname(process.execPath), '../include/node');
const FLAGS = ['-std=gnu11', '-Wall', '-Wextra', '-Wconversion', '-Werror', '-shared', '-fPIC'];

/**
 * @param {string} target
 * @param {{ compiler?: string, flags?: readonly string[] }} [options]
 * @returns {string | undefined} why there is none
 */
export function buildAccelerator(target, options = {}) {
  const problem = compile(target, options);
  if (problem !== undefined) fs.rmSync(target, { force: true });
  return problem;
}

/** @type {typeof buildAccelerator} */
function compile(target, { compiler = process.env['CC'] ?? 'cc', flags = ['-O2'] } = {}) {
  if (process.platform !== 'linux') return 'it is for Linux alone';
  if (!fs.existsSync(path.join(HEADERS, 'node_api.h'))) return `there are no headers of Node.js in ${HEADERS}`;
  fs.mkdirSync(path.dirname(target), { recursive: true });
  // A running gateway keeps the old file, and two builds at once do not mix.
  const draft = `${target}.${process.pid}`;
  const { status, stderr, error } = spawnSync(compiler, [...FLAGS, ...flags, `-I${HEADERS}`, SOURCE, '-o', draft], {
    encoding: 'utf8',
  });
  if (error) return `the compiler ${compiler} is not there`;
  if (status !== 0) return `${compiler} failed: ${stderr.trim()}`;
  fs.renameSync(draft, target);
  return undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problem = buildAccelerator(fileURLToPath(new URL('../dist/accelerator.node', import.meta.url)));
  if (problem !== undefined)
    console.log(`The accelerator of tunnels is not built: ${problem}. Tunnels use TypeScript.`);
}

// @ts-check
/** Compiles the accelerator of tunnels. Without a compiler, or without the headers of Node.js, the gateway works without it. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
/** The packages of Node.js have them beside the program. */
const HEADERS = path.join(path.dirname(process.execPath), '../include/node');
/** The version of Node-API is one that each Node.js has: with a newer one than its own, Node.js crashes. */
const FLAGS = ['-std=gnu11', '-Wall', '-Wextra', '-Wconversion', '-Werror', '-shared', '-fPIC', '-DNAPI_VERSION=8'];
/** The same bytes from the same compiler, in whichever folder. What others send is parsed here, so the stack is guarded and tables are read-only. */
const OPTIMISED = [
  '-O2',
  '-g0',
  '-fno-ident',
  '-fstack-protector-strong',
  `-ffile-prefix-map=${FOLDER}=`,
  '-Wl,--build-id=none',
  '-Wl,-z,relro,-z,now',
];

/** What the accelerator is made of, with the headers of its own. */
export const nativeSources = () =>
  fs
    .readdirSync(FOLDER)
    .filter((name) => /\.[ch]$/.test(name))
    .sort()
    .map((name) => path.join(FOLDER, name));

/**
 * @param {string} target
 * @param {{ compiler?: string, flags?: readonly string[], headers?: string, sources?: readonly string[] }} [options] `sources`: of another module, for tests
 * @returns {string | undefined} why there is none
 */
export function buildAccelerator(target, options = {}) {
  const problem = compile(target, options);
  if (problem !== undefined) fs.rmSync(target, { force: true });
  return problem;
}

/** @type {typeof buildAccelerator} */
function compile(
  target,
  { compiler = ownCompiler(), flags = OPTIMISED, headers = HEADERS, sources = nativeSources() } = {},
) {
  if (process.platform !== 'linux') return 'it is for Linux alone';
  if (!fs.existsSync(path.join(headers, 'node_api.h'))) return `there are no headers of Node.js in ${headers}`;
  fs.mkdirSync(path.dirname(target), { recursive: true });
  // A running gateway keeps the old file, and two builds at once do not mix.
  const draft = `${target}.${process.pid}.${threadId}`;
  const compiled = sources.filter((file) => file.endsWith('.c'));
  const args = [...FLAGS, ...flags, `-I${headers}`, ...compiled, '-o', draft];
  const { status, stderr, error } = spawnSync(compiler, args, { encoding: 'utf8' });
  if (error) return `the compiler ${compiler} is not there`;
  if (status !== 0) return `${compiler} failed: ${stderr.trim()}`;
  fs.renameSync(draft, target);
  return undefined;
}

/** Of this machine, for this machine. */
export const ownCompiler = () => process.env['CC'] ?? 'cc';

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problem = buildAccelerator(fileURLToPath(new URL('../dist/accelerator.node', import.meta.url)));
  if (problem !== undefined)
    console.log(`The accelerator of tunnels is not built: ${problem}. Tunnels use TypeScript.`);
}

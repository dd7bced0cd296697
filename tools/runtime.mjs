// @ts-check
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { waitForLock } from './lock.mjs';
import { inspectMachine } from './machine.mjs';
import { installLocked } from './npm.mjs';
import { Problem } from './problem.mjs';

/** The oldest Node.js that may run the bootstrap. */
const OLDEST_VERSION = '20.19.0';

/** @typedef {import('./machine.mjs').Machine} Machine */
/**
 * The Node.js that everything runs on, and where npm has it. Elsewhere the user's own serves, from `oldest` on.
 * @typedef {{ version: string, oldest: string, platforms: string[] }} Runtime
 */

/** @param {string} root @returns {Runtime} */
export function readRuntime(root) {
  const read = (/** @type {string} */ file) => JSON.parse(fs.readFileSync(path.join(root, file), 'utf8'));
  const packages = /** @type {Record<string, string>} */ (read('tools/runtime/package.json').optionalDependencies);
  const [version = ''] = Object.values(packages);
  const { engines } = /** @type {{ engines: { node: string } }} */ (read('package.json'));
  const platforms = Object.keys(packages).map((name) => name.replace('node-', ''));
  return { version, oldest: engines.node.replace('^', ''), platforms };
}

/** @param {string} version @param {string} minimum */
function isAtLeast(version, minimum) {
  return version.localeCompare(minimum, 'en', { numeric: true }) >= 0;
}

/**
 * Whether the user's own Node.js runs everything, or the pinned one.
 * @param {string} ownVersion @param {Machine} machine @param {Runtime} runtime
 * @returns {'own' | 'pinned'}
 * @throws Problem if neither can
 */
export function chooseRuntime(ownVersion, { platform, arch, hasMusl }, { version, oldest, platforms }) {
  const [major] = version.split('.');
  const hasSameMajor = ownVersion.split('.')[0] === major;
  if (hasSameMajor && isAtLeast(ownVersion, version)) return 'own';
  if (hasMusl || !platforms.includes(`${platform}-${arch}`)) {
    if (hasSameMajor && isAtLeast(ownVersion, oldest)) return 'own';
    throw new Problem(
      `Cellhop runs on Node.js ${major} from ${oldest} on, and this is ${ownVersion}. Install ${version} or a newer ${major}: ` +
        'only for Linux (x64 and ARM, with the GNU C library) it is fetched automatically.',
    );
  }
  if (isAtLeast(ownVersion, OLDEST_VERSION)) return 'pinned';
  throw new Problem(
    `Cellhop runs on Node.js ${version}, which Node.js 20.19 or newer can fetch; this is ${ownVersion}. Install one of them.`,
  );
}

/**
 * Fetches the pinned Node.js if it is needed and missing.
 * @param {string} root
 * @returns {Promise<string | undefined>} the directory of the pinned `node`; undefined if the own Node.js runs everything
 */
export async function provideRuntime(root) {
  const runtime = readRuntime(root);
  if (chooseRuntime(process.versions.node, inspectMachine(), runtime) === 'own') return undefined;
  const source = path.join(root, 'tools/runtime');
  const target = path.join(root, '.data/runtime');
  const isFetched = () => {
    const stamp = path.join(target, 'package-lock.json');
    return (
      fs.existsSync(path.join(target, PROGRAM)) &&
      fs.existsSync(stamp) &&
      fs.readFileSync(stamp).equals(fs.readFileSync(path.join(source, 'package-lock.json')))
    );
  };
  if (!isFetched()) {
    const lock = await waitForLock(path.join(root, '.data/bootstrap.lock'), {
      what: 'another command that fetches, installs or builds',
      timeoutMs: 600_000,
    });
    try {
      if (!isFetched()) fetchRuntime(source, target, runtime.version);
    } finally {
      lock.release();
    }
  }
  return path.dirname(path.join(target, PROGRAM));
}

const PACKAGE = `node-${process.platform}-${process.arch}`;
/** The file of the package, because npm of Debian 13 makes no link to it in `.bin`. */
const PROGRAM = `node_modules/${PACKAGE}/bin/node`;

/** npm compares the package with the hash in the lock file. @param {string} source @param {string} target @param {string} version */
export function fetchRuntime(source, target, version) {
  console.error(`Fetching Node.js ${version} into .data/runtime, because this is ${process.versions.node} ...`);
  // It gets its name when it is complete, so an interrupted fetch leaves no broken runtime.
  const draft = `${target}.new`;
  fs.rmSync(draft, { recursive: true, force: true });
  fs.mkdirSync(draft, { recursive: true });
  writeOwnLock(source, draft);
  const retries = ['--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];
  const problem = installLocked(draft, ['--ignore-scripts', '--prefer-offline', ...retries]);
  if (problem !== undefined)
    throw new Problem(
      `Node.js ${version} could not be fetched: ${problem} Or install Node.js ${version} or a newer ${version.split('.')[0]}.`,
    );
  const { stdout, stderr, error } = spawnSync(path.join(draft, PROGRAM), ['--version'], { encoding: 'utf8' });
  if (stdout?.trim() !== `v${version}`)
    throw new Problem(`The fetched Node.js ${version} does not run on this machine: ${error?.message ?? stderr}`);
  fs.cpSync(source, draft, { recursive: true });
  fs.rmSync(target, { recursive: true, force: true });
  fs.renameSync(draft, target);
}

/**
 * The package of this machine alone, and as one that is needed: npm says nothing about an optional package that it cannot reach.
 * @param {string} source @param {string} draft
 */
function writeOwnLock(source, draft) {
  const lock = JSON.parse(fs.readFileSync(path.join(source, 'package-lock.json'), 'utf8'));
  const place = `node_modules/${PACKAGE}`;
  const { optional: _, ...locked } = lock.packages[place];
  const manifest = { name: lock.name, dependencies: { [PACKAGE]: locked.version } };
  const write = (/** @type {string} */ file, /** @type {object} */ content) =>
    fs.writeFileSync(path.join(draft, file), JSON.stringify(content));
  write('package.json', manifest);
  write('package-lock.json', { ...lock, packages: { '': manifest, [place]: locked } });
}

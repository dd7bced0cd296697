// @ts-check
/**
 * Writes the archive of a release: the same bytes for the same commit, whoever builds it, wherever and whenever. Native code is the one file
 * that depends on something else, its compiler, so `release.json` names that.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { createGzip } from 'node:zlib';
import { fetchPackages } from '../npm.mjs';
import { Problem } from '../problem.mjs';
import { listMaterials } from './bill-of-materials.mjs';
import { findPackages, nameOf } from './packages.mjs';

/** @typedef {import('./packages.mjs').Lock} Lock */
/** `directory`: the built checkout. @typedef {{ directory: string, version: string, commit: string, time: Date }} Source */

/** Files of git, apart from tests. */
const TRACKED = [
  'bin',
  'api/package.json',
  'api/migrations',
  'api/sql',
  'api/data',
  'gateway/package.json',
  'tools/receipt-checker',
  'deploy',
  'docs',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'SECURITY.md',
  'releases.json',
];
const BUILT = ['api/dist', 'gateway/dist', 'web/dist'];
const GZIP_LEVEL = 6;
/** The folder of a draft with the package of Node.js. */
const RUNTIME = 'node';

/** @param {Source} source @param {string} arch */
const nameOfArchive = ({ version, commit }, arch) => `cellhop-${version}-${commit.slice(0, 12)}-linux-${arch}`;

/** Of the release, as its flags are. Archives of 0.4.0 and before have no native code. @param {Source} source */
export async function findNativeBuild({ directory }) {
  const file = path.join(directory, 'gateway/native/release.mjs');
  if (!fs.existsSync(file)) return undefined;
  /** @type {typeof import('../../gateway/native/release.mjs')} */
  const build = await import(pathToFileURL(file).href);
  return build;
}

/**
 * @param {Source} source @param {'x64' | 'arm64'} arch @param {string} output a folder @param {string} [compiler] another one than Debian's
 * @returns {Promise<string[]>} the names of the files: the archive, and its list of packages
 */
export async function writeArchive(source, arch, output, compiler) {
  const name = nameOfArchive(source, arch);
  const draft = fs.mkdtempSync(path.join(output, '.draft-'));
  try {
    const folder = path.join(draft, name);
    copyFiles(source.directory, folder);
    const materials = await addPackages(source, arch, folder, draft);
    const { version, commit } = source;
    const accelerator = await addAccelerator(source, { arch, folder, draft, compiler });
    writeJson(path.join(folder, 'release.json'), { version, commit, platform: `linux-${arch}`, accelerator });
    writeJson(path.join(folder, 'packages.cdx.json'), materials);
    writeJson(path.join(output, `${name}.cdx.json`), materials);
    const tar = path.join(draft, 'archive.tar');
    runTar([
      `--create`,
      `--file=${tar}`,
      `--directory=${draft}`,
      '--format=gnu',
      '--sort=name',
      `--mtime=@${source.time.getTime() / 1000}`,
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '--mode=u=rwX,go=rX',
      name,
    ]);
    const archive = `${name}.tar.gz`;
    await pipeline(
      fs.createReadStream(tar),
      createGzip({ level: GZIP_LEVEL }),
      fs.createWriteStream(path.join(output, archive)),
    );
    return [archive, `${name}.cdx.json`];
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/** Writes SHA256SUMS, which operators compare. @param {string} output @param {string[]} files in it @returns {string} its text */
export function writeSums(output, files) {
  const sums = files.map((file) => {
    const hash = createHash('sha256').update(fs.readFileSync(path.join(output, file)));
    return `${hash.digest('hex')}  ${file}\n`;
  });
  fs.writeFileSync(path.join(output, 'SHA256SUMS'), sums.join(''));
  return sums.join('');
}

/** @param {string} directory @param {string} folder */
function copyFiles(directory, folder) {
  const { status, stdout } = spawnSync('git', ['ls-files', '-z', ...TRACKED], { cwd: directory, encoding: 'utf8' });
  if (status !== 0) throw new Problem('A release is built from a checkout with git.');
  const tracked = stdout.split('\0').filter((file) => file !== '' && !file.endsWith('.test.ts'));
  for (const file of tracked) fs.cpSync(path.join(directory, file), path.join(folder, file));
  for (const place of BUILT)
    fs.cpSync(path.join(directory, place), path.join(folder, place), {
      recursive: true,
      // Native code of this machine: the archive has its own.
      filter: (file) => path.basename(file) !== '.sources' && path.extname(file) !== '.node',
    });
}

/** @param {Source} source @param {{ arch: 'x64' | 'arm64', folder: string, draft: string, compiler: string | undefined }} options */
async function addAccelerator(source, { arch, folder, draft, compiler }) {
  const native = await findNativeBuild(source);
  if (native === undefined) return undefined;
  const built = native.buildForRelease({
    processor: arch,
    target: path.join(folder, 'gateway/dist/accelerator.node'),
    headers: path.join(draft, RUNTIME, 'include/node'),
    ...(compiler === undefined ? {} : { compiler }),
  });
  if ('problem' in built) throw new Problem(`The accelerator for ${arch} cannot be built: ${built.problem}.`);
  return built;
}

/**
 * Node.js and the packages of API and gateway. Those of other platforms than this one are not installed, so all that belong to one are fetched.
 * @param {Source} source @param {string} arch @param {string} folder @param {string} draft
 */
async function addPackages({ directory, version, commit, time }, arch, folder, draft) {
  const lock = readLock(path.join(directory, 'package-lock.json'));
  const places = findPackages(lock, ['api', 'gateway'], arch);
  const isOfPlatform = (/** @type {string} */ place) => lock[place]?.cpu !== undefined;
  for (const place of places.filter((each) => !isOfPlatform(each))) {
    const installed = path.join(directory, place);
    if (readVersion(installed) !== lock[place]?.version)
      throw new Problem(`${place} is not installed as the lock file says: npm ci`);
    fs.cpSync(installed, path.join(folder, place), {
      recursive: true,
      // The packages in it have places of their own.
      filter: (file) => path.basename(file) !== 'node_modules' || file === installed,
    });
  }
  const runtimes = readLock(path.join(directory, 'tools/runtime/package-lock.json'));
  const runtime = runtimes[`node_modules/node-linux-${arch}`];
  if (!runtime?.version || !runtime.integrity) throw new Problem(`tools/runtime has no Node.js for ${arch}.`);
  const program = path.join(draft, RUNTIME);
  unpackPackages(
    [
      ...places
        .filter(isOfPlatform)
        .map((place) => ({ name: nameOf(place), ...lock[place], target: path.join(folder, place) })),
      { name: `node-linux-${arch}`, ...runtime, target: program },
    ],
    draft,
  );
  for (const file of ['bin/node', 'LICENSE']) fs.cpSync(path.join(program, file), path.join(folder, 'runtime', file));
  const bundled = findPackages(lock, ['web'], arch);
  return listMaterials({
    version,
    commit,
    time,
    arch,
    lock,
    places,
    bundled,
    runtime: { version: runtime.version, integrity: runtime.integrity },
  });
}

/** npm gets them from the registry or its cache; the lock file decides whether they are right. @param {{ name: string, version?: string, integrity?: string, target: string }[]} packages @param {string} draft */
function unpackPackages(packages, draft) {
  const problem = fetchPackages(
    packages.map(({ name, version }) => `${name}@${version}`),
    draft,
  );
  if (problem !== undefined) throw new Problem(`Packages of the platform could not be fetched: ${problem}`);
  for (const { name, version, integrity, target } of packages) {
    const file = path.join(draft, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
    const hash = createHash('sha512').update(fs.readFileSync(file)).digest('base64');
    if (`sha512-${hash}` !== integrity)
      throw new Problem(`${name} ${version} of the registry is not that of the lock file.`);
    fs.mkdirSync(target, { recursive: true });
    runTar(['--extract', `--file=${file}`, `--directory=${target}`, '--strip-components=1']);
  }
}

/** @param {string[]} args */
function runTar(args) {
  const { status, stderr, error } = spawnSync('tar', args, { encoding: 'utf8' });
  if (status !== 0) throw new Problem(`GNU tar failed: ${error?.message ?? stderr}`);
}

/** @param {string} file @returns {Lock} */
const readLock = (file) => JSON.parse(fs.readFileSync(file, 'utf8')).packages;

/** @param {string} place @returns {string | undefined} */
function readVersion(place) {
  const file = path.join(place, 'package.json');
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')).version : undefined;
}

/** @param {string} file @param {object} content */
const writeJson = (file, content) => fs.writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);

// @ts-check
/**
 * `npm run test:interop`: tests with real third-party programs on this machine. Installs what they need: npm packages in .data/interop,
 * Debian packages as root; production uses none of it. If a program is missing, it prints the name and fails, so that no test is skipped.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildChanged } from './build.mjs';
import { findChromium } from './chromium.mjs';
import { installDebianPackage, runApt } from './debian-packages.mjs';
import { buildSystem } from './debian-system.mjs';
import { Problem, reportFailure } from './problem.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const directory = path.join(root, '.data/interop');
const debian13 = path.join(root, '.data/debian/point-in-time');
/** A test that hangs is ended; each node and each test has its own, shorter limit. */
const TESTS_TIMEOUT_MS = 20 * 60_000;
const INSTALL_TIMEOUT_MS = 10 * 60_000;

/**
 * @typedef {{ setting: string, find: () => string | undefined, install: () => void, advice: string }} Program
 * `setting` overrides the path of the program, and passes it to the tests.
 */

/** In a separate folder, to keep old dependencies out of this project. @param {string} name @param {object} manifest */
function installPackage(name, manifest) {
  const folder = path.join(directory, name);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, ...manifest }));
  console.log(`Installing ${name} (npm) ...`);
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], timeout: INSTALL_TIMEOUT_MS });
}

/** Unpacked into a separate folder, because an installation would start the program as a service. @param {string} name */
function unpackDebianPackage(name) {
  const folder = path.join(directory, name);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  runApt(['download', '-qq', '-o', 'APT::Sandbox::User=root', name], folder);
  for (const file of fs.readdirSync(folder))
    spawnSync('dpkg-deb', ['-x', file, '.'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** @param {string[]} files */
const firstExisting = (...files) => files.find((file) => fs.existsSync(file));

/** The binary itself, because ending the wrapper of its package would not end the node. */
function findAnvil() {
  const platform = `${process.platform === 'win32' ? 'win32' : process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  return firstExisting(path.join(directory, `anvil/node_modules/@foundry-rs/anvil-${platform}/bin/anvil`));
}

/** @param {string} setting @param {string} file @param {string} name @returns {Program} */
const debianProgram = (setting, file, name) => ({
  setting,
  find: () => firstExisting(file),
  install: () => installDebianPackage(name),
  advice: `install the Debian package ${name} (apt-get install ${name})`,
});

/** Of the processor that this machine does not have: Debian's names, and QEMU's. */
const OTHER =
  process.arch === 'arm64'
    ? { folder: 'x86_64-linux-gnu', compiler: 'x86-64-linux-gnu', libraries: 'amd64-cross', qemu: 'x86_64' }
    : { folder: 'aarch64-linux-gnu', compiler: 'aarch64-linux-gnu', libraries: 'arm64-cross', qemu: 'aarch64' };

/** @type {Program[]} */
const PROGRAMS = [
  {
    setting: 'ANVIL',
    find: findAnvil,
    install: () => installPackage('anvil', { dependencies: { '@foundry-rs/anvil': '1.7.1' } }),
    advice: 'npm could not install @foundry-rs/anvil 1.7.1 for this platform; get Foundry from getfoundry.sh',
  },
  {
    setting: 'BCOIN',
    find: () => firstExisting(path.join(directory, 'bcoin/node_modules/bcoin/bin/node')),
    // The version of leveldown that bcoin requires does not build on current versions of Node.
    install: () => installPackage('bcoin', { dependencies: { bcoin: '1.0.2' }, overrides: { leveldown: '6.1.1' } }),
    advice: 'npm could not install bcoin 1.0.2',
  },
  {
    setting: 'CADDY',
    find: () => firstExisting('/usr/bin/caddy', path.join(directory, 'caddy/usr/bin/caddy')),
    install: () => unpackDebianPackage('caddy'),
    advice: 'install the Debian package caddy (apt-get install caddy)',
  },
  {
    setting: 'NGINX',
    find: () => firstExisting('/usr/sbin/nginx', path.join(directory, 'nginx/usr/sbin/nginx')),
    install: () => unpackDebianPackage('nginx'),
    advice: 'install the Debian package nginx (apt-get install nginx)',
  },
  {
    setting: 'CHROMIUM',
    find: findChromium,
    install: () => installDebianPackage('chromium'),
    advice: 'install Chromium or Chrome (on Debian: apt-get install chromium)',
  },
  {
    setting: 'TRONWEB',
    find: () => firstExisting(path.join(directory, 'tronweb/node_modules/tronweb/lib/commonjs/index.js')),
    install: () => installPackage('tronweb', { dependencies: { tronweb: '6.5.1' } }),
    advice: 'npm could not install tronweb 6.5.1',
  },
  {
    setting: 'POSTGRES_INITDB',
    // Of any version: the server and its programs are of one.
    find: () => {
      const versions = '/usr/lib/postgresql';
      const folders = fs.existsSync(versions) ? fs.readdirSync(versions) : [];
      return firstExisting(...folders.map((version) => path.join(versions, version, 'bin/initdb')));
    },
    install: () => installDebianPackage('postgresql'),
    advice: 'install the Debian package postgresql (apt-get install postgresql)',
  },
  {
    // pgBackRest of Debian 12 has no SFTP.
    setting: 'DEBIAN_13',
    find: () => firstExisting(debian13),
    install: () => buildSystem(debian13, ['postgresql', 'pgbackrest', 'openssh-server']),
    advice: 'mmdebstrap could not make a directory with Debian 13',
  },
  debianProgram('AGE', '/usr/bin/age', 'age'),
  debianProgram('FIREFOX', '/usr/bin/firefox-esr', 'firefox-esr'),
  debianProgram('WEBKIT_DRIVER', '/usr/bin/WebKitWebDriver', 'webkit2gtk-driver'),
  debianProgram('XVFB', '/usr/bin/Xvfb', 'xvfb'),
  debianProgram('LITECOIND', '/usr/lib/litecoin/litecoind', 'litecoind'),
  debianProgram('ELECTRUM', '/usr/bin/electrum', 'electrum'),
  debianProgram('CURL', '/usr/bin/curl', 'curl'),
  debianProgram('DIG', '/usr/bin/dig', 'bind9-dnsutils'),
  debianProgram('GTLSCLIENT', '/usr/bin/gtlsclient', 'ngtcp2-client'),
  debianProgram('GTLSSERVER', '/usr/sbin/gtlsserver', 'ngtcp2-server'),
  debianProgram('KDIG', '/usr/bin/kdig', 'knot-dnsutils'),
  debianProgram('OPENSSL', '/usr/bin/openssl', 'openssl'),
  debianProgram('SYSTEMD_ANALYZE', '/usr/bin/systemd-analyze', 'systemd'),
  debianProgram('OTHER_COMPILER', `/usr/bin/${OTHER.folder}-gcc`, `gcc-${OTHER.compiler}`),
  debianProgram('OTHER_HEADERS', `/usr/${OTHER.folder}/include/unistd.h`, `libc6-dev-${OTHER.libraries}`),
  debianProgram('OTHER_LIBRARIES', `/usr/${OTHER.folder}/lib/libstdc++.so.6`, `libstdc++6-${OTHER.libraries}`),
  debianProgram('QEMU', `/usr/bin/qemu-${OTHER.qemu}`, 'qemu-user'),
  debianProgram('PYSOCKS', '/usr/lib/python3/dist-packages/socks.py', 'python3-socks'),
];

/** Runs by its name only: it takes minutes to make its system. */
const SEPARATE = { suite: 'point-in-time', setting: 'DEBIAN_13' };
/** What these suites need alone (`npm run test:interop -- backup`); all other suites need the others. @type {Record<string, string[]>} */
const OF_SUITE = {
  [SEPARATE.suite]: [SEPARATE.setting],
  release: ['CADDY', 'NGINX', 'OPENSSL', 'SYSTEMD_ANALYZE'],
  backup: ['POSTGRES_INITDB', 'AGE'],
  processors: ['OTHER_COMPILER', 'OTHER_HEADERS', 'OTHER_LIBRARIES', 'QEMU'],
};

/** @param {Program} program @returns {string | undefined} */
function ensure({ setting, find, install }) {
  const chosen = process.env[setting];
  if (chosen !== undefined) return firstExisting(chosen);
  const found = find();
  if (found) return found;
  install();
  return find();
}

/** @returns {NodeJS.ProcessEnv} */
function ensurePrograms() {
  /** @type {NodeJS.ProcessEnv} */
  const settings = {};
  const missing = [];
  const needed = OF_SUITE[process.argv.slice(2).join()];
  for (const program of PROGRAMS.filter(({ setting }) =>
    needed ? needed.includes(setting) : setting !== SEPARATE.setting,
  )) {
    const file = ensure(program);
    if (file) settings[program.setting] = file;
    else missing.push(`- ${program.advice}, or set ${program.setting} to its path`);
  }
  if (missing.length > 0) throw new Problem(`These tests need other programs:\n${missing.join('\n')}`);
  return settings;
}

try {
  /** @type {Record<string, string | undefined>} */
  const env = { ...process.env, ...ensurePrograms(), NODE_ENV: 'test' };
  // For the tests that start the whole product.
  buildChanged(root);
  const vitest = path.join(path.dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const separate = env['DEBIAN_13'] === undefined ? ['--exclude', `**/${SEPARATE.suite}.interop.ts`] : [];
  const args = [vitest, 'run', '-c', 'vitest.interop.config.ts', ...separate, ...process.argv.slice(2)];
  const { status, signal } = spawnSync(process.execPath, args, {
    cwd: root,
    env,
    stdio: 'inherit',
    timeout: TESTS_TIMEOUT_MS,
  });
  if (signal) throw new Problem(`The tests did not end within ${TESTS_TIMEOUT_MS / 60_000} minutes.`);
  process.exit(status ?? 1);
} catch (error) {
  process.exit(reportFailure(error));
}

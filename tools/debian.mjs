// @ts-check
/**
 * `npm run test:debian`: a fresh checkout starts with the Node.js and npm that Debian 13 packages, as an ordinary user, up to the first
 * page. The system is a directory (mmdebstrap), kept in .data/debian. As root on Debian or Ubuntu; it needs the network.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSystem, RELEASE, run } from './debian-system.mjs';
import { freePort } from './ports.mjs';
import { Problem, reportFailure } from './problem.mjs';

const LIMIT_MS = 20 * 60_000;
const root = fileURLToPath(new URL('..', import.meta.url));
const system = path.join(root, '.data/debian', RELEASE);
/** Of this machine: without them a network that replaces certificates cannot be used. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

function copyCheckout() {
  const target = path.join(system, 'home/operator/cellhop');
  fs.rmSync(target, { recursive: true, force: true });
  fs.mkdirSync(target);
  const files = 'git ls-files -z --cached --others --exclude-standard';
  run('sh', [
    '-c',
    `cd "$2" && ${files} | tar --null --ignore-failed-read -T - -cf - | tar -xf - -C "$1"`,
    'sh',
    target,
    root,
  ]);
  for (const file of ['/etc/resolv.conf', CERTIFICATES]) fs.copyFileSync(file, path.join(system, file));
  run('chroot', [system, 'chown', '-R', 'operator:users', '/home/operator']);
}

/** @returns {Promise<void>} when its first page has been shown */
async function start() {
  const [port, gatewayPort] = [await freePort(), await freePort()];
  const settings = [`PORT=${port}`, `GATEWAY_PORT=${gatewayPort}`, `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`];
  const environment = ['env', '-i', 'HOME=/home/operator', 'PATH=/usr/bin:/bin', ...settings];
  const command = 'cd ~/cellhop && node --version && npm --version && exec npm start';
  const mounts = 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && shift && "$@"; exit $?';
  const enter = ['chroot', '--userspec=operator:users', system, ...environment, 'sh', '-c', command];
  // All processes end with the first one of their namespace, and that one, which stays root, with its parent.
  const isolation = ['--mount', '--pid', '--fork', '--kill-child'];
  const child = spawn('unshare', [...isolation, 'sh', '-c', mounts, 'sh', system, ...enter], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Problem(`npm start ended with code ${code}.`);
  });
  try {
    await Promise.race([ended, waitForPage(`http://127.0.0.1:${port}/`)]);
  } finally {
    child.kill('SIGKILL');
    await ended.catch(() => {});
  }
}

/** @param {string} address */
async function waitForPage(address) {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const page = await fetch(address).then(
      (response) => response.text(),
      () => '',
    );
    if (page.includes('<html')) return;
    if (Date.now() > deadline) throw new Problem(`${address} shows no page.`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

try {
  buildSystem(system, ['nodejs', 'npm', 'ca-certificates'], (draft) =>
    run('chroot', [draft, 'useradd', '--create-home', 'operator', '--gid', 'users']),
  );
  copyCheckout();
  await start();
  console.log('On Debian 13 with its own Node.js and npm the first page is shown.');
} catch (error) {
  process.exitCode = reportFailure(error);
}

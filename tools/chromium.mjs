// @ts-check
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { Problem } from './problem.mjs';

const candidates = () => [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export function findChromium() {
  return candidates().find((file) => file && fs.existsSync(file));
}

/** On Debian or Ubuntu as root. */
function installChromium() {
  if (process.getuid?.() !== 0 || !fs.existsSync('/usr/bin/apt-get')) return;
  console.log('Installing Chromium (apt-get) ...');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env });
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env,
  });
}

/**
 * The system's browser. Installs it if possible.
 * @param {{ find?: () => string | undefined, install?: () => void }} [machine]
 */
export function ensureChromium({ find = findChromium, install = installChromium } = {}) {
  const found = find();
  if (found) return found;
  install();
  const installed = find();
  if (installed) return installed;
  throw new Problem(
    'The end-to-end tests need Chromium: install it, or set CHROMIUM to the path of Chromium or Chrome.',
  );
}

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

/** The system's browser; on a bare Debian or Ubuntu, as root, it is installed first. */
export function ensureChromium() {
  const found = findChromium();
  if (found) return found;
  if (process.getuid?.() === 0 && fs.existsSync('/usr/bin/apt-get')) {
    console.log('Installing Chromium (apt-get) ...');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env });
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env,
    });
  }
  const installed = findChromium();
  if (installed) return installed;
  throw new Problem(
    'The browser stories need Chromium: install it, or set CHROMIUM to the path of Chromium or Chrome.',
  );
}

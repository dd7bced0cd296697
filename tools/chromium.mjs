// @ts-check
import fs from 'node:fs';
import { installDebianPackage } from './debian-packages.mjs';
import { Problem } from './problem.mjs';

/** A Chromium without a window system. It draws pages the same and needs an eighth less processor time. Debian packages it. */
const HEADLESS_SHELL = '/usr/lib/chromium/chromium-headless-shell';
const CHROMIUMS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** @param {string[]} files @returns the path of the setting, or else the first file that exists */
const findFirst = (...files) => [process.env['CHROMIUM'], ...files].find((file) => file && fs.existsSync(file));

export const findChromium = () => findFirst(...CHROMIUMS);

export const findHeadlessShell = () => findFirst(HEADLESS_SHELL);

/**
 * The system's browser. Installs it if possible.
 * @param {{ find?: () => string | undefined, install?: () => void }} [machine]
 */
export function ensureChromium({ find = findChromium, install = () => installDebianPackage('chromium') } = {}) {
  const found = find();
  if (found) return found;
  install();
  const installed = find();
  if (installed) return installed;
  throw new Problem(
    'The end-to-end tests need Chromium: install it, or set CHROMIUM to the path of Chromium or Chrome.',
  );
}

/**
 * The browser of the end-to-end tests: the headless shell, or where that is not packaged, such as on Ubuntu, Chromium.
 * @param {{ find?: () => string | undefined, install?: () => void, otherwise?: () => string }} [machine]
 */
export function ensureHeadlessShell({
  find = findHeadlessShell,
  install = () => installDebianPackage('chromium-headless-shell'),
  otherwise = ensureChromium,
} = {}) {
  if (!find()) install();
  return find() ?? otherwise();
}

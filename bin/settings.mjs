// @ts-check
/** The settings of a program: the environment, then credentials of systemd, then the settings file. docs/settings.md explains it. */
import fs from 'node:fs';
import path from 'node:path';
import { findMisspelt, names, secretNames } from './setting-names.mjs';

/** @typedef {Record<string, string | undefined>} Environment */
/** @typedef {'environment' | 'credential' | 'file'} Origin */
/** @typedef {Map<string, { value: string, origin: Origin }>} Settings */

export const DEFAULT_FILE = '/etc/cellhop/cellhop.env';
/** Where a release keeps files, as the units of deploy/ create it. */
const DATA_DIR = '/var/lib/cellhop';
/** A setting that names the file of a secret. */
const FILE_SUFFIX = '_FILE';
const MEANINGS = /** @type {Record<string, string>} */ ({
  ENOENT: 'does not exist',
  EISDIR: 'is a directory',
  EACCES: 'may not be read by this user',
});

/**
 * @param {Environment} environment @param {string} [file] that the operator has named; by default one that may be missing
 * @returns {{ settings: Settings, hasFile: boolean }} what is set, without empty values
 * @throws Error with a sentence for each problem
 */
export function readSettings(environment, file) {
  const text = file === undefined && !fs.existsSync(DEFAULT_FILE) ? undefined : readText(file ?? DEFAULT_FILE);
  /** @type {Settings} */
  const settings = new Map();
  const add = (/** @type {Environment} */ values, /** @type {Origin} */ origin) => {
    for (const [name, value] of Object.entries(values))
      // For APPROVAL_USD, empty does not mean the default.
      if (value !== undefined && (value !== '' || name === 'APPROVAL_USD') && !settings.has(name))
        settings.set(name, { value, origin });
  };
  const inEnvironment = Object.entries(environment).filter(([name]) => isSetting(name));
  add(readSecretFiles(Object.fromEntries(inEnvironment), 'The environment'), 'environment');
  add(readCredentials(environment['CREDENTIALS_DIRECTORY']), 'credential');
  if (text !== undefined) {
    const place = file ?? DEFAULT_FILE;
    // A program that gets its credentials may not be able to read their files.
    const needed = Object.entries(parseFile(text, place)).filter(([name]) => !settings.has(plainName(name)));
    add(readSecretFiles(Object.fromEntries(needed), place), 'file');
  }
  const misspelt = findMisspelt(
    Object.fromEntries(Object.entries(environment).filter(([name]) => plainName(name) === name)),
  );
  if (misspelt.length > 0) throw new Error(misspelt.join('\n'));
  return { settings, hasFile: text !== undefined };
}

/** What a program needs besides its own defaults. @param {Settings} settings @returns {Environment} */
export function completeSettings(settings) {
  const values = Object.fromEntries([...settings].map(([name, { value }]) => [name, value]));
  return { WITNESS_FILE: path.join(values['DATA_DIR'] ?? DATA_DIR, 'witness.json'), ...values };
}

const isSetting = (/** @type {string} */ name) => names.includes(plainName(name));

/** @param {string} name */
function plainName(name) {
  const secret = name.slice(0, -FILE_SUFFIX.length);
  return name.endsWith(FILE_SUFFIX) && secretNames.includes(secret) ? secret : name;
}

/** @param {Environment} values @param {string} place @returns {Environment} with the secrets in place of the names of their files */
function readSecretFiles(values, place) {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const secret = plainName(name);
      if (secret === name || !value) return [name, value];
      if (values[secret]) throw new Error(`${place} has both ${secret} and ${name}: remove one of them.`);
      return [secret, readSecret(value, `${name}: ${value}`)];
    }),
  );
}

/** Files such as `secret_key`. @param {string | undefined} directory @returns {Environment} */
function readCredentials(directory) {
  if (!directory) return {};
  const files = secretNames.map((name) => /** @type {const} */ ([name, path.join(directory, name.toLowerCase())]));
  return Object.fromEntries(
    files.filter(([, file]) => fs.existsSync(file)).map(([name, file]) => [name, readSecret(file, file)]),
  );
}

/** @param {string} file @param {string} what */
function readSecret(file, what) {
  const secret = readText(file, what).replace(/\r?\n$/, '');
  if (secret === '' || /[\0\n]/.test(secret)) throw new Error(`${what} must have one line with the secret.`);
  return secret;
}

/** @param {string} file */
function readText(file, what = `The settings file ${file}`) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new Error(`${what} ${MEANINGS[code] ?? `cannot be read: ${message}`}.`, { cause: error });
  }
}

/**
 * Lines such as `NAME=value`, empty ones and comments. A value may be quoted as a whole; nothing in it is expanded or escaped.
 * @param {string} text @param {string} file @returns {Environment}
 * @throws Error with a sentence for each wrong line, which never contains a value
 */
export function parseFile(text, file) {
  /** @type {Map<string, string>} */
  const found = new Map();
  const problems = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((line, index) => {
      if (/^\s*(?:#.*)?$/.test(line)) return [];
      const [, name = '', raw = ''] = /^\s*([A-Z][A-Z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
      const where = `Line ${index + 1} of ${file}`;
      if (name === '') return [`${where} is not NAME=value.`];
      const quoted = /^(["'])(.*)\1$/.exec(raw)?.[2];
      if (quoted === undefined && /^["']/.test(raw)) return [`${where}: the value of ${name} has an unpaired quote.`];
      if (!isSetting(name)) return [`${where}: ${findMisspelt({ [name]: 'set' })[0] ?? `${name} is not a setting.`}`];
      if (found.has(name)) return [`${where} sets ${name} a second time.`];
      found.set(name, quoted ?? raw);
      return [];
    });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return Object.fromEntries(found);
}

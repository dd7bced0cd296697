// @ts-check
/** npm without the settings of its user, of which many change what it installs; only how it reaches the registry stays theirs. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** @typedef {Record<string, string | undefined>} Environment */

const KEPT =
  /^(?:registry|@.+:registry|\/\/.+|replace-registry-host|(?:https?-)?proxy|no-?proxy|ca(?:file|\[\])?|cert|key|strict-ssl|local-address|maxsockets|fetch-.+|cache|offline|prefer-(?:offline|online)|ignore-scripts)$/;
const VARIABLE = /^npm_config_/i;
/** Two names, because npm does not read one file twice. */
const NO_FILES = { npm_config_userconfig: os.devNull, npm_config_globalconfig: '/nonexistent/npmrc' };

/** @param {string} file @returns {[string, string][]} */
function readSettings(file) {
  if (!fs.existsSync(file)) return [];
  const lines = fs.readFileSync(file, 'utf8').matchAll(/^\s*([^\s;#=][^=]*?)\s*=\s*(.*?)\s*$/gm);
  return [...lines].map(([, name = '', value = '']) => [name, value.replace(/^(["'])(.*)\1$/, '$2')]);
}

/** @param {Environment} environment @returns {Environment} */
function environmentOfNpm(environment) {
  const others = Object.entries(environment).filter(([name]) => !VARIABLE.test(name));
  /** @type {[string, string][]} */
  const given = [];
  for (const [variable, value] of Object.entries(environment)) {
    const name = variable.replace(VARIABLE, '');
    if (value && name !== variable)
      given.push([name.startsWith('//') ? name : name.toLowerCase().replaceAll(/(?!^)_/g, '-'), value]);
  }
  const { userconfig = path.join(os.homedir(), '.npmrc'), globalconfig } = Object.fromEntries(given);
  const files = [globalconfig ?? '', userconfig].flatMap(readSettings);
  /** @type {Environment} */
  const kept = {};
  for (const [name, value] of [...files, ...given].filter(([name]) => KEPT.test(name))) {
    const variable = `npm_config_${name.replace('[]', '')}`;
    // npm separates the certificates of one variable by an empty line.
    kept[variable] = name === 'ca[]' && kept[variable] !== undefined ? `${kept[variable]}\n\n${value}` : value;
  }
  // With NODE_ENV=production npm would omit the build tools.
  return { ...Object.fromEntries(others), ...kept, ...NO_FILES, NODE_ENV: 'development' };
}

const CAUSES = [
  {
    codes: /^(?:CERT_NOT_YET_VALID|CERT_HAS_EXPIRED)$/,
    text: 'the certificate of the npm registry is not valid at the time of this machine: compare its clock.',
  },
  {
    codes: /CERT|^UNABLE_TO_/,
    text:
      'the TLS certificate of the npm registry is not trusted. If a proxy of your network replaces it, set NODE_EXTRA_CA_CERTS to the file of ' +
      'its certificate authority.',
  },
  {
    codes: /^EPROTO$|^ERR_(?:SSL|TLS)_/,
    text: 'the npm registry, or a proxy before it, speaks no TLS that Node.js knows.',
  },
  { codes: /^(?:ENOTFOUND|EAI_AGAIN)$/, text: 'the name of the npm registry cannot be resolved: is there a network?' },
  {
    codes: /^(?:ECONN\w+|E\w*TIMEDOUT|E(?:NET|HOST)\w+|ERR_SOCKET_TIMEOUT|ENETWORK)$/,
    text: 'the npm registry cannot be reached. Behind a proxy, set HTTPS_PROXY.',
  },
  { codes: /^ENOTCACHED$/, text: 'npm is set to work offline, and its cache has not all packages.' },
  { codes: /^E(?:401|403|404|407|5\d\d)$/, text: 'the npm registry or a proxy before it refuses.' },
  { codes: /^EINTEGRITY$/, text: 'the npm registry sends another package than the lock file names.' },
];

/** @param {string} output of npm, which names its errors by codes */
function explain(output) {
  const [, code] = /^npm (?:error|ERR!) code (\S+)$/m.exec(output) ?? [];
  const text = CAUSES.find(({ codes }) => code !== undefined && codes.test(code))?.text;
  return text === undefined ? 'see its output above.' : `${text} (${code})`;
}

/**
 * Installs what the lock file of a directory names.
 * @param {string} directory @param {string[]} [options]
 * @returns {string | undefined} why it failed
 */
export function installLocked(directory, options = []) {
  return run(directory, ['ci', '--no-audit', '--no-fund', ...options]);
}

/**
 * Fetches packages as files such as `node-rs-argon2-2.2.1.tgz`, for any platform.
 * @param {string[]} names with their versions @param {string} directory
 * @returns {string | undefined} why it failed
 */
export function fetchPackages(names, directory) {
  return run(directory, ['pack', '--ignore-scripts', ...names]);
}

/** @param {string} directory @param {string[]} args */
function run(directory, args) {
  const { status, stderr, error } = spawnSync('npm', [...args, '--loglevel=error'], {
    cwd: directory,
    env: environmentOfNpm(process.env),
    encoding: 'utf8',
    // The standard output may be read by a program.
    stdio: ['ignore', 2, 'pipe'],
  });
  process.stderr.write(stderr ?? '');
  if (status === 0) return undefined;
  return error ? error.message : explain(stderr);
}

// @ts-check
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { findMisspelt, requiredInProduction } from '../bin/setting-names.mjs';
import { writeAtomically } from './lock.mjs';
import { freePort, isPortFree, parsePort } from './ports.mjs';
import { Problem } from './problem.mjs';

/** @typedef {import('./programs.mjs').Part} Part */
/** @typedef {Record<string, string | undefined>} Environment */

/** Modes of tools/command.mjs that have settings of their own. */
const DEVELOPMENT_MODES = new Set(['test', 'test:long', 'test:slow', 'check']);
const WRONG_SETTINGS = 78;

/**
 * Finds missing and misspelt names, before anything is fetched or built. The programs validate the values.
 * @param {Environment} environment @param {string[]} values the arguments of tools/command.mjs; none for other npm scripts
 * @throws Problem with a line for each
 */
export function requireNames(environment, [mode, part = 'all', ...values]) {
  if (mode === undefined || DEVELOPMENT_MODES.has(mode) || [part, ...values].includes('--help')) return;
  // Worker and commands read the settings of the API.
  const required = Object.entries(requiredInProduction).find(([name]) => name === (mode === 'start' ? part : 'worker'));
  const isProduction = environment['NODE_ENV'] === 'production';
  const missing = isProduction ? (required?.[1] ?? []).filter((name) => !environment[name]) : [];
  const problems = findMisspelt(environment);
  if (missing.length > 0)
    problems.unshift(`NODE_ENV=production needs ${missing.join(', ')}: docs/settings.md describes them.`);
  if (problems.length > 0) throw new Problem(problems.join('\n'), WRONG_SETTINGS);
}

/**
 * The port of the built-in mail sink, stored so that an api and a worker from two terminals use the same one.
 * @param {string} dataDir @param {Part[]} parts
 */
async function mailSinkPort(dataDir, parts) {
  const file = path.join(dataDir, 'mail-sink-port.json');
  const stored = readNumber(file);
  // The worker only sends to it: a port in use means that the api listens.
  if (stored !== undefined && (!parts.includes('api') || (await isPortFree(stored)))) return stored;
  const port = await freePort();
  writeAtomically(file, port);
  return port;
}

/** @param {string} file */
function readNumber(file) {
  try {
    return Number(fs.readFileSync(file, 'utf8'));
  } catch {
    // Missing at the first start.
    return undefined;
  }
}

/** @typedef {{ SECRET_KEY: string, GATEWAY_TOKEN: string }} Secrets */

/**
 * Development only: created once and kept, because a new SECRET_KEY would sign all users out and make the stored proxy
 * passwords unreadable.
 * @param {string} dataDir @returns {Secrets}
 */
export function loadOrCreateSecrets(dataDir) {
  const file = path.join(dataDir, 'secrets.json');
  if (!fs.existsSync(file)) {
    fs.mkdirSync(dataDir, { recursive: true });
    writeAtomically(file, {
      SECRET_KEY: randomBytes(32).toString('hex'),
      GATEWAY_TOKEN: randomBytes(32).toString('hex'),
    });
  }
  try {
    const { SECRET_KEY, GATEWAY_TOKEN } = /** @type {Secrets} */ (JSON.parse(fs.readFileSync(file, 'utf8')));
    if (SECRET_KEY && GATEWAY_TOKEN) return { SECRET_KEY, GATEWAY_TOKEN };
  } catch {
    // An unreadable file and one that lacks a secret both lead to the error below.
  }
  throw new Problem(`${file} is damaged: restore it, or delete ${dataDir} to begin with an empty demo.`);
}

/**
 * The environment of the programs: the operator's settings, with defaults for the missing ones in development.
 * @param {Environment} environment @param {Part[]} parts
 */
export async function readSettings(environment, parts) {
  // For APPROVAL_USD, empty does not mean the default.
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => value !== '' || name === 'APPROVAL_USD'),
  );
  const isProduction = given['NODE_ENV'] === 'production';
  const dataDir = path.resolve(given['DATA_DIR'] ?? '.data');
  const port = parsePort('PORT', given['PORT'] ?? '3000');
  const gatewayPort = parsePort('GATEWAY_PORT', given['GATEWAY_PORT'] ?? '1080');
  const host = given['HOST'] ?? '127.0.0.1';
  const gatewayHost = given['GATEWAY_HOST'] ?? '127.0.0.1';
  const usesMailSink = !isProduction && !given['SMTP_URL'];
  /** @type {Environment} */
  const env = {
    ...(isProduction ? {} : { ...loadOrCreateSecrets(dataDir), GATEWAY_ALLOW_PRIVATE: 'true' }),
    ...(usesMailSink ? { MAIL_SINK_PORT: String(await mailSinkPort(dataDir, parts)) } : {}),
    GATEWAY_DNS_PORTS: '20000-20999',
    WITNESS_FILE: path.join(dataDir, 'witness.json'),
    ...given,
    DATA_DIR: dataDir,
    HOST: host,
    PORT: String(port),
    GATEWAY_HOST: gatewayHost,
    GATEWAY_PORT: String(gatewayPort),
  };
  return {
    dataDir,
    isProduction,
    port,
    host,
    gatewayPort,
    gatewayHost,
    databaseUrl: given['DATABASE_URL'],
    usesMailSink,
    env,
  };
}

// @ts-check
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { writeAtomically } from './lock.mjs';
import { freePort, isPortFree, parsePort } from './ports.mjs';
import { Problem } from './problem.mjs';
import { loadOrCreateSecrets } from './secrets.mjs';

/** @typedef {import('./programs.mjs').Part} Part */
/** @typedef {Record<string, string | undefined>} Environment */

/** The settings that each part requires in production; the programs validate the values themselves. @type {Record<Part, string[]>} */
const REQUIRED_IN_PRODUCTION = {
  api: ['DATABASE_URL', 'SECRET_KEY', 'GATEWAY_TOKEN', 'SMTP_URL'],
  worker: ['DATABASE_URL', 'SECRET_KEY', 'GATEWAY_TOKEN', 'SMTP_URL'],
  gateway: ['GATEWAY_TOKEN', 'GATEWAY_CONTROL_URL'],
};

/** @param {Environment} environment @param {Part[]} parts */
function refuseIncompleteProduction(environment, parts) {
  const required =
    parts.length === 3 ? REQUIRED_IN_PRODUCTION.api : parts.flatMap((part) => REQUIRED_IN_PRODUCTION[part]);
  const missing = required.filter((name) => !environment[name]);
  if (missing.length === 0) return;
  throw new Problem(`NODE_ENV=production needs ${missing.join(', ')}: docs/settings.md describes them.`);
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
    return Number(readFileSync(file, 'utf8'));
  } catch {
    // Missing at the first start.
    return undefined;
  }
}

/**
 * The environment of the programs: the operator's settings, with defaults for the missing ones in development.
 * @param {Environment} environment @param {Part[]} parts
 */
export async function readSettings(environment, parts) {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const isProduction = given['NODE_ENV'] === 'production';
  if (isProduction) refuseIncompleteProduction(given, parts);
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

// @ts-check
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { writeWhole } from './lock.mjs';
import { freePort, isPortFree, parsePort } from './ports.mjs';
import { Problem } from './problem.mjs';
import { loadOrMakeSecrets } from './secrets.mjs';

/** @typedef {import('./product.mjs').Part} Part */
/** @typedef {Record<string, string | undefined>} Environment */

/** What each part cannot run without in production; the programs check the meaning of the values themselves. @type {Record<Part, string[]>} */
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
  throw new Problem(`NODE_ENV=production needs ${missing.join(', ')}: docs/settings.md tells what to put there.`);
}

/**
 * The built-in mail sink's port, remembered so that an api and a worker from two terminals agree on it.
 * @param {string} dataDir @param {Part[]} parts
 */
async function mailSinkPort(dataDir, parts) {
  const file = path.join(dataDir, 'mail-sink-port.json');
  const known = readNumber(file);
  // The worker only sends there: for it a taken port is the sign that the api listens.
  if (known !== undefined && (!parts.includes('api') || (await isPortFree(known)))) return known;
  const port = await freePort();
  writeWhole(file, port);
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
 * The environment of the programs: what the operator set, and in development a default for all that is missing.
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
    ...(isProduction ? {} : { ...loadOrMakeSecrets(dataDir), GATEWAY_ALLOW_PRIVATE: 'true' }),
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

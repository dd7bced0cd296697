// @ts-check
import { randomBytes, randomInt } from 'node:crypto';
import { freePort, urlHost } from './ports.mjs';

/** @typedef {Record<string, string | undefined>} Environment */

/**
 * The environment of the programs: defaults (free ports, new secrets), overridden by `env`.
 * @param {{ databaseUrl?: string, port?: number, env?: Environment }} options
 */
export async function completeSettings({ databaseUrl, port, env = {} }) {
  const HOST = env['HOST'] ?? '127.0.0.1';
  const PORT = String(port ?? env['PORT'] ?? (await freePort()));
  // End-to-end tests must not depend on the shell they are started from: only these variables are inherited.
  const { PATH, HOME, TMPDIR } = process.env;
  return {
    url: `http://${urlHost(HOST)}:${PORT}`,
    settings: {
      PATH,
      HOME,
      TMPDIR,
      HOST,
      PORT,
      PUBLIC_URL: `http://localhost:${PORT}`,
      DATABASE_URL: databaseUrl,
      SECRET_KEY: randomBytes(32).toString('hex'),
      GATEWAY_TOKEN: randomBytes(32).toString('hex'),
      GATEWAY_CONTROL_URL: controlUrl(HOST, PORT, env),
      GATEWAY_HOST: '127.0.0.1',
      GATEWAY_LISTEN_HOST: undefined,
      // A demo should stop quickly; in production, the gateway's default lets downloads of customers finish.
      GATEWAY_DRAIN_SECONDS: env['NODE_ENV'] === 'production' ? undefined : '2',
      GATEWAY_PORT: env['GATEWAY_PORT'] ?? String(await freePort()),
      GATEWAY_DNS_PORTS: pickDnsPorts(),
      MAIL_SINK_PORT: env['MAIL_SINK_PORT'] ?? String(await freePort()),
      SUPERVISED: 'true',
      ...withoutUndefined(env),
    },
  };
}

/** Two products on one machine must not share DNS ports. The range is below the system's ephemeral ports. */
function pickDnsPorts() {
  const first = 21_000 + 100 * randomInt(100);
  return `${first}-${first + 99}`;
}

/** Gateways may use a separate port of the API. @param {string} host @param {string} port @param {Environment} env */
function controlUrl(host, port, env) {
  return `http://${urlHost(env['INTERNAL_HOST'] || host)}:${env['INTERNAL_PORT'] || port}`;
}

/** @param {Environment} env */
function withoutUndefined(env) {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
}

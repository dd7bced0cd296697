// @ts-check
/**
 * The whole product as child processes on a given database: `npm start`, the browser stories, the fault scripts and the
 * benches all start it here.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { startChild } from './child-process.mjs';
import { freePort, reachableHost, urlHost } from './ports.mjs';
import { Problem } from './problem.mjs';
import { acceptsConnections, answersOk, waitUntilReady } from './readiness.mjs';
import { supervise } from './supervise.mjs';

/** @typedef {import('./child-process.mjs').Child} Child */
/** @typedef {'api' | 'worker' | 'gateway'} Part */
/**
 * Everything but the database has a working default: free ports, new secrets, the programs' own settings.
 * @typedef {object} ProductOptions
 * @property {string} [databaseUrl] only the gateway can do without
 * @property {number} [port]
 * @property {Record<string, string | undefined>} [env] settings, over the defaults of this file
 * @property {Part[]} [parts] all three unless given
 * @property {string} [logFile] takes the output of the programs; without it the terminal does
 * @property {(pid: number) => void} [onSpawn]
 * @property {(line: string) => void} [tell] takes what the supervision has to say; without it the terminal does
 * @property {AbortSignal} [signal] gives the start up; whatever runs by then is ended
 */
/**
 * @typedef {object} Product
 * @property {string} url
 * @property {number} gatewayPort
 * @property {number} mailSinkPort
 * @property {Map<Part, Child>} processes
 * @property {Promise<{ part: Part, code: number }>} failure resolves when the api or the gateway ends and nobody asked it to;
 *   the worker is started again, because jobs wait and everything else goes on
 * @property {() => Promise<void>} stop lets each program finish its work, in the order in which they need each other
 * @property {() => Promise<void>} abandon ends all of them at once, as a crash would
 * @property {(part: Part) => Promise<void>} kill SIGKILL for one of them
 * @property {(part: Part) => Promise<void>} restart ends one of them, if it runs, and starts it again
 */

/** @type {Record<Part, string>} */
const SCRIPTS = { api: 'api/dist/server.js', worker: 'api/dist/worker.js', gateway: 'gateway/dist/main.js' };
/** @type {Part[]} */
const STOP_ORDER = ['gateway', 'api', 'worker'];
/**
 * How long a program that was told to stop may run before it is killed: longer than it tries itself. API and worker give up
 * after 10 s (`SHUTDOWN_LIMIT_MS` in api/src/process-lifecycle.ts); a gateway tries for 5 s to deliver its last totals once its tunnels
 * have had their time (`lastReportMs` in gateway/src/limits.ts). One that is killed before gives away what it has counted,
 * and its exit code cannot say so. This file runs before anything is built, so it cannot import those numbers.
 * @type {Record<Part, number>}
 */
const STOP_MS = { api: 12_000, worker: 12_000, gateway: 8000 };

/** @param {Part} part @param {{ GATEWAY_DRAIN_SECONDS?: string | undefined }} settings */
export function graceMs(part, { GATEWAY_DRAIN_SECONDS }) {
  return STOP_MS[part] + (part === 'gateway' ? Number(GATEWAY_DRAIN_SECONDS) * 1000 : 0);
}

/** Two products on one machine must not share DNS ports; the range lies below the ports the system gives to clients. */
function pickDnsPorts() {
  const first = 21_000 + 100 * randomInt(100);
  return `${first}-${first + 99}`;
}

/** @param {ProductOptions} options */
async function settle({ databaseUrl, port, env = {} }) {
  const HOST = env['HOST'] ?? '127.0.0.1';
  const PORT = String(port ?? env['PORT'] ?? (await freePort()));
  const url = `http://${urlHost(HOST)}:${PORT}`;
  // The stories must not depend on the shell they are started from: of its environment only these get through.
  const { PATH, HOME, TMPDIR } = process.env;
  return {
    url,
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
      // Who stops a demo waits for it; who stops a service wants its customers' downloads to end well.
      GATEWAY_DRAIN_SECONDS: env['NODE_ENV'] === 'production' ? '60' : '2',
      GATEWAY_PORT: env['GATEWAY_PORT'] ?? String(await freePort()),
      GATEWAY_DNS_PORTS: pickDnsPorts(),
      MAIL_SINK_PORT: env['MAIL_SINK_PORT'] ?? String(await freePort()),
      SUPERVISED: 'true',
      ...withoutUndefined(env),
    },
  };
}

/** Gateways may have a port of the API for themselves. @param {string} host @param {string} port @param {Record<string, string | undefined>} env */
function controlUrl(host, port, env) {
  return `http://${urlHost(env['INTERNAL_HOST'] || host)}:${env['INTERNAL_PORT'] || port}`;
}

/** @param {Record<string, string | undefined>} env */
function withoutUndefined(env) {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
}

/** @param {ProductOptions} options @returns {Promise<Product>} once it is ready to serve */
export async function startProduct(options) {
  const { parts = ['api', 'worker', 'gateway'], logFile, onSpawn, tell = console.error, signal } = options;
  const { url, settings } = await settle(options);
  /** @type {Map<Part, Child>} */
  const processes = new Map();
  /** @type {{ part: Part, code: number } | undefined} */
  let failed;
  const failures = new EventEmitter();
  const failure = once(failures, 'failure').then(([first]) => first);

  const launch = (/** @type {string} */ script) => {
    signal?.throwIfAborted();
    const child = startChild(script, settings, logFile);
    onSpawn?.(child.pid);
    return child;
  };
  let isUp = false;
  /** @type {(() => void) | undefined} */
  let stopSupervision;
  signal?.addEventListener('abort', () => stopSupervision?.(), { once: true });
  const start = (/** @type {Part} */ part) => {
    const spawn = () => {
      const child = launch(SCRIPTS[part]);
      processes.set(part, child);
      return child;
    };
    if (part !== 'worker') return void watch(part, spawn());
    stopSupervision?.();
    stopSupervision = supervise(spawn, {
      onEnd: (code, delayMs) => {
        if (isUp) tell(`The worker ended with code ${code}; it is started again in ${delayMs / 1000} s.`);
        else fail(part, code);
      },
    });
  };
  const watch = async (/** @type {Part} */ part, /** @type {Child} */ child) => {
    const code = await child.exited;
    if (!child.isEnding()) fail(part, code);
  };
  const fail = (/** @type {Part} */ part, /** @type {number} */ code) => {
    failed ??= { part, code };
    failures.emit('failure', failed);
  };
  const end = async (/** @type {Part} */ part) => processes.get(part)?.end(graceMs(part, settings));
  const stop = async () => {
    stopSupervision?.();
    // The gateway reports its last bytes to the api, and the api may enqueue jobs, so they leave in this order.
    for (const part of STOP_ORDER) await end(part);
  };
  const abandon = async () => {
    stopSupervision?.();
    await Promise.all([...processes.values()].map((child) => child.kill()));
  };
  const check = () => {
    signal?.throwIfAborted();
    if (failed) throw new Problem(`The ${failed.part} ended with code ${failed.code}.`, failed.code || 1);
  };
  const waitForReady = async () => {
    if (parts.includes('api')) await waitUntilReady(answersOk(`${url}/health/ready`), check);
    // The API is ready without a gateway too, so the gateway's own port is asked.
    if (parts.includes('gateway')) {
      const host = reachableHost(settings.GATEWAY_LISTEN_HOST ?? settings.GATEWAY_HOST);
      await waitUntilReady(acceptsConnections(Number(settings.GATEWAY_PORT), host), check);
    }
  };

  try {
    if (parts.includes('api') || parts.includes('worker')) {
      const code = await launch('api/dist/setup.js').exited;
      signal?.throwIfAborted();
      if (code !== 0) throw new Problem(`Preparing the database failed with code ${code}.`, code);
    }
    for (const part of parts.filter((each) => each !== 'gateway')) start(part);
    // The gateway's first call is to the API: started after it, it has nothing to complain about.
    if (parts.includes('api')) await waitUntilReady(answersOk(`${url}/health/ready`), check);
    if (parts.includes('gateway')) start('gateway');
    await waitForReady();
    isUp = true;
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    gatewayPort: Number(settings.GATEWAY_PORT),
    mailSinkPort: Number(settings.MAIL_SINK_PORT),
    processes,
    failure,
    stop,
    abandon,
    kill: async (part) => processes.get(part)?.kill(),
    restart: async (part) => {
      await end(part);
      start(part);
      await waitForReady();
    },
  };
}

// @ts-check
/** `npm start`: everything on this machine, or with `npm start -- api|worker|gateway` one part of it. */
import path from 'node:path';
import { startPostgres } from './pg.mjs';
import { parsePort, requireFreePort } from './ports.mjs';
import { reportFailure, Problem } from './problem.mjs';
import { startProduct } from './product.mjs';
import { claimRun } from './run-record.mjs';
import { readSettings } from './settings.mjs';

/** @typedef {import('./programs.mjs').Part} Part */
/** @typedef {import('./product.mjs').Product} Product */
/** @typedef {Awaited<ReturnType<typeof readSettings>>} Settings */

/** @type {Part[]} */
const PARTS = ['api', 'worker', 'gateway'];
/** Ctrl-C arrives twice, from the terminal and through npm: only a signal after this time is a second one. */
const SAME_SIGNAL_MS = 1000;

/** @param {string[]} names @returns {Part[]} */
function chooseParts(names) {
  if (names.length === 0) return PARTS;
  const [name] = names;
  const part = PARTS.find((known) => known === name);
  if (!part || names.length > 1) {
    throw new Problem(`"npm start -- ${names.join(' ')}" is unknown: use no name, or one of api, worker, gateway.`);
  }
  return [part];
}

/** @param {() => void} onSecondSignal @returns {AbortSignal} aborted by the first Ctrl-C, SIGTERM or closed terminal */
function listenForSignals(onSecondSignal) {
  const stopping = new AbortController();
  let firstAt = 0;
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(name, () => {
      if (firstAt === 0) {
        firstAt = Date.now();
        console.log('\nStopping ...');
        stopping.abort();
      } else if (Date.now() - firstAt > SAME_SIGNAL_MS) onSecondSignal();
    });
  }
  return stopping.signal;
}

/** @param {Settings} settings @param {Part[]} parts */
async function requirePorts(settings, parts) {
  const { host, port, gatewayHost, gatewayPort } = settings;
  const { INTERNAL_PORT, INTERNAL_HOST = host } = settings.env;
  if (parts.includes('api')) {
    await requireFreePort({ port, host, setting: 'PORT', hostSetting: 'HOST' });
    if (INTERNAL_PORT !== undefined)
      await requireFreePort({
        port: parsePort('INTERNAL_PORT', INTERNAL_PORT),
        host: INTERNAL_HOST,
        setting: 'INTERNAL_PORT',
        hostSetting: 'INTERNAL_HOST',
      });
  }
  if (!parts.includes('gateway')) return;
  // GATEWAY_HOST may be a name that is not an address of this machine: then GATEWAY_LISTEN_HOST is the address to listen on.
  const listenHost = settings.env['GATEWAY_LISTEN_HOST'];
  await requireFreePort({
    port: gatewayPort,
    host: listenHost ?? gatewayHost,
    setting: 'GATEWAY_PORT',
    hostSetting: listenHost === undefined ? 'GATEWAY_HOST' : 'GATEWAY_LISTEN_HOST',
  });
}

/** @param {Settings} settings @param {Product} product @param {Part[]} parts */
function printSummary(settings, product, parts) {
  const address = settings.env['PUBLIC_URL'] ?? `http://localhost:${settings.port}`;
  const gateway = `${settings.gatewayHost}:${product.gatewayPort}`;
  const lines =
    parts.length === 1
      ? [`${parts[0]} runs`, ...(parts[0] === 'gateway' ? [`SOCKS5, HTTP   ${gateway}`] : [])]
      : [
          `Cellhop runs at ${address}`,
          '',
          ...(settings.isProduction
            ? []
            : [
                'Sign in        user@example.com, support@example.com or admin@example.com',
                'Password       demo-password',
                'Sign up        with the promo code WELCOME',
                'New IP         the proxies of Japan change their addresses on demand',
              ]),
          ...(settings.usesMailSink ? [`Mailbox        ${address}/dev/mailbox`] : []),
          `API            ${address}/docs`,
          `Proxy gateway  ${gateway} (SOCKS5 and HTTP)`,
        ];
  console.log(['', ...lines, '', 'Ctrl-C stops everything.', ''].map((line) => `  ${line}`.trimEnd()).join('\n'));
}

/** @param {string[]} names @returns {Promise<number>} the exit code, after everything has ended */
export async function start(names) {
  /** Stops in reverse order of the start. @type {(() => unknown)[]} */
  const cleanUps = [];
  /** @type {Product | undefined} */
  let product;
  const signal = listenForSignals(() => void product?.killAll());
  try {
    const parts = chooseParts(names);
    const settings = await readSettings(process.env, parts);
    const run = await claimRun(settings.dataDir, parts.length === 1 ? /** @type {Part} */ (parts[0]) : 'all');
    cleanUps.push(run.release);
    await requirePorts(settings, parts);
    let { databaseUrl } = settings;
    if (!databaseUrl && parts.some((part) => part !== 'gateway')) {
      const postgres = await startPostgres({ dataDir: path.join(settings.dataDir, 'pg') });
      cleanUps.push(postgres.stop, postgres.keepRunning(console.error));
      databaseUrl = postgres.url;
    }
    product = await startProduct({
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      env: settings.env,
      parts,
      onSpawn: run.record,
      restarted: PARTS,
      // A slow machine needs longer.
      onSlow: (finding) => console.error(`Still starting: ${finding}`),
      signal,
    });
    cleanUps.push(product.stop);
    printSummary(settings, product, parts);
    await waitForAbort(signal);
    return 0;
  } catch (error) {
    // Errors of an interrupted start are consequences of the interruption.
    return signal.aborted ? 0 : reportFailure(error);
  } finally {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  }
}

/** @param {AbortSignal} signal @returns {Promise<void>} */
function waitForAbort(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

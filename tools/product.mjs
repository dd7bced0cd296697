// @ts-check
/**
 * The whole product as child processes on a given database: used by `npm start`, the end-to-end tests, the fault scripts and
 * the benchmarks.
 */
import fs from 'node:fs';
import { reachableHost } from './ports.mjs';
import { Problem } from './problem.mjs';
import { completeSettings } from './product-settings.mjs';
import { createPrograms } from './programs.mjs';
import { acceptsConnections, forAtMost, hasOffers, returnsOk, waitUntilReady } from './readiness.mjs';

/** @typedef {import('./child-process.mjs').Child} Child */
/** @typedef {import('./programs.mjs').Part} Part */
/** @typedef {import('./programs.mjs').Failure} Failure */
/**
 * Everything but the database has a working default: free ports, new secrets, the programs' own settings.
 * @typedef {object} OwnOptions
 * @property {string} [databaseUrl] required by all parts but the gateway
 * @property {number} [port]
 * @property {Record<string, string | undefined>} [env] settings that override these defaults
 * @property {Part[]} [parts] default: all three
 * @property {(finding: string) => void} [onSlow] called every minute of a start; default: it fails after the first
 */
/** @typedef {OwnOptions & import('./programs.mjs').ProgramOptions} ProductOptions */
/**
 * @typedef {object} Product
 * @property {string} url
 * @property {number} gatewayPort
 * @property {number} mailSinkPort
 * @property {Map<Part, Child>} processes
 * @property {Promise<Failure>} failure resolves when a part has ended by itself and is not started again
 * @property {() => Promise<void>} stop lets each program finish its work, in the order in which they need each other
 * @property {() => Promise<void>} killAll ends all of them at once, as a crash would
 * @property {(part: Part) => Promise<void>} kill SIGKILL for one of them
 * @property {(part: Part) => Promise<void>} restart ends one of them, if it runs, and starts it again
 */

/** @param {ProductOptions} options @returns {Promise<Product>} once it is ready to serve */
export async function startProduct(options) {
  const { parts = ['api', 'worker', 'gateway'], signal, onSlow } = options;
  const { url, settings } = await completeSettings(options);
  const programs = createPrograms(settings, options);
  const check = () => {
    signal?.throwIfAborted();
    programs.throwIfFailed();
  };
  const waitForApi = async () => {
    if (parts.includes('api')) await waitUntilReady(returnsOk(`${url}/health/ready`), check, onSlow);
  };
  const waitForReady = async () => {
    await waitForApi();
    // The API is ready without a gateway too, so this checks the gateway's own port.
    if (parts.includes('gateway')) {
      const host = reachableHost(settings.GATEWAY_LISTEN_HOST ?? settings.GATEWAY_HOST);
      await waitUntilReady(acceptsConnections(Number(settings.GATEWAY_PORT), host), check, onSlow);
    }
  };

  try {
    if (parts.includes('api') || parts.includes('worker')) {
      signal?.throwIfAborted();
      const code = await programs.launch('migrate').exited;
      signal?.throwIfAborted();
      if (code !== 0) throw new Problem(`Preparing the database failed with code ${code}.`, code);
    }
    if (parts.includes('api')) programs.start('api');
    // The gateway's first call is to the API, and in development the API receives the worker's mails: if they start later, they log no failure.
    await waitForApi();
    for (const part of parts.filter((each) => each !== 'api')) programs.start(part);
    await waitForReady();
    // The demo's catalogue should not be empty at first. It fills when the gateway has checked its exits, which takes a second.
    const isDemo = options.env?.['NODE_ENV'] !== 'production' && parts.includes('api') && parts.includes('gateway');
    if (isDemo) await waitUntilReady(forAtMost(hasOffers(url), OFFERS_WAIT_MS), check);
    programs.markReady();
  } catch (error) {
    await programs.stop();
    if (options.logFile !== undefined) (options.log ?? console.error)(lastOutput(options.logFile));
    throw error;
  }
  const { processes, failure, stop, killAll } = programs;
  return {
    url,
    gatewayPort: Number(settings.GATEWAY_PORT),
    mailSinkPort: Number(settings.MAIL_SINK_PORT),
    processes,
    failure,
    stop,
    killAll,
    kill: async (part) => processes.get(part)?.kill(),
    restart: async (part) => {
      await programs.end(part);
      programs.start(part);
      await waitForReady();
    },
  };
}

const OFFERS_WAIT_MS = 10_000;
const LAST_OUTPUT_CHARACTERS = 4000;

/** The output of the programs shows why they did not start. @param {string} logFile */
function lastOutput(logFile) {
  const output = fs.readFileSync(logFile, 'utf8').slice(-LAST_OUTPUT_CHARACTERS);
  return `The product did not start. The end of ${logFile}:\n${output}`;
}

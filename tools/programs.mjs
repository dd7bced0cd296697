// @ts-check
/** The API, the worker and the gateway as child processes, in the order in which they need each other. */
import { EventEmitter, once } from 'node:events';
import { cellhop, startChild } from './child-process.mjs';
import { Problem } from './problem.mjs';
import { supervise } from './supervise.mjs';

/** @typedef {import('./child-process.mjs').Child} Child */
/** @typedef {'api' | 'worker' | 'gateway'} Part */
/** @typedef {{ part: Part, code: number }} Failure */
/**
 * @typedef {object} ProgramOptions
 * @property {string} [logFile] receives the output of the programs; default: the terminal
 * @property {(pid: number) => void} [onSpawn]
 * @property {(line: string) => void} [log] receives messages of the supervision; default: the terminal
 * @property {AbortSignal} [signal] aborts the start; running programs are ended
 * @property {Record<Part, string[]>} [commands] default: the built programs
 * @property {readonly Part[]} [restarted] the parts that are started again whenever they end; such an end of another part is a failure, and
 *   during the start one that no signal has caused. Default: the worker, because its jobs can wait. Tests must not overlook that the API or the gateway has crashed
 * @property {number} [firstRestartMs] the pause before the first restart of a part; default: a second
 */

/** @type {Part[]} */
const STOP_ORDER = ['gateway', 'api', 'worker'];
/**
 * The time between SIGTERM and SIGKILL: longer than each program's own limit. API and worker give up after 10 s
 * (`SHUTDOWN_LIMIT_MS` in api/src/process/process-lifecycle.ts); after its drain, a gateway tries for 5 s to deliver its last totals (`lastReportMs`
 * in gateway/src/limits.ts). A gateway that is killed before loses what it has counted, and its exit code cannot report it.
 * This file runs before anything is built, so it cannot import these numbers.
 * @type {Record<Part, number>}
 */
const STOP_MS = { api: 12_000, worker: 12_000, gateway: 8000 };

/** Codes above are those of signals. */
const KILLED = 128;

/** The gateway's default. */
const DRAIN_SECONDS = 60;

/** @param {Part} part @param {{ GATEWAY_DRAIN_SECONDS?: string | undefined }} settings */
export function graceMs(part, { GATEWAY_DRAIN_SECONDS }) {
  return STOP_MS[part] + (part === 'gateway' ? Number(GATEWAY_DRAIN_SECONDS || DRAIN_SECONDS) * 1000 : 0);
}

/** @param {NodeJS.ProcessEnv} settings @param {ProgramOptions} options */
export function createPrograms(settings, options) {
  const { logFile, onSpawn, log = console.error, signal, commands, restarted = ['worker'], firstRestartMs } = options;
  /** @type {Map<Part, Child>} */
  const processes = new Map();
  const failures = createFailures();
  let isReady = false;
  /** Ends the supervision of a part. @type {Map<Part, () => void>} */
  const supervisions = new Map();

  const run = (/** @type {string[]} */ command) => {
    const child = startChild(command, settings, logFile);
    onSpawn?.(child.pid);
    return child;
  };
  const launch = (/** @type {string[]} */ ...words) => run(cellhop(...words));
  const launchPart = (/** @type {Part} */ part) => {
    const child = run(commands?.[part] ?? cellhop(part));
    processes.set(part, child);
    return child;
  };
  const endSupervision = (/** @type {Part} */ part) => supervisions.get(part)?.();
  const start = (/** @type {Part} */ part) => {
    if (!isReady) signal?.throwIfAborted();
    endSupervision(part);
    const stopSupervision = supervise(() => launchPart(part), {
      ...(firstRestartMs === undefined ? {} : { firstDelayMs: firstRestartMs }),
      onEnd: (code, delayMs) => {
        // Before the others are ready, a program that ends by itself says what the operator has to change.
        if (restarted.includes(part) && (isReady || (code > KILLED && !signal?.aborted))) {
          log(`The ${part} ended with code ${code}; it is started again in ${delayMs / 1000} s.`);
          return;
        }
        stopSupervision();
        failures.add({ part, code });
      },
    });
    supervisions.set(part, stopSupervision);
  };
  const end = async (/** @type {Part} */ part) => {
    endSupervision(part);
    await processes.get(part)?.end(graceMs(part, settings));
  };
  const stop = async () => {
    // The gateway delivers its last reports to the API, and the API may enqueue jobs for the worker. Until its turn, each part is restarted.
    for (const part of STOP_ORDER) await end(part);
  };
  const killAll = async () => {
    for (const part of STOP_ORDER) endSupervision(part);
    await Promise.all([...processes.values()].map((child) => child.kill()));
  };
  /** From now on parts are restarted. */
  const markReady = () => {
    isReady = true;
  };
  const { first: failure, throwIfAny: throwIfFailed } = failures;
  return { processes, failure, throwIfFailed, launch, start, markReady, end, stop, killAll };
}

function createFailures() {
  const events = new EventEmitter();
  /** @type {Failure | undefined} */
  let failed;
  const add = (/** @type {Failure} */ failure) => {
    failed ??= failure;
    events.emit('failure', failed);
  };
  /** @type {Promise<Failure>} */
  const first = once(events, 'failure').then(([failure]) => failure);
  const throwIfAny = () => {
    if (failed) throw new Problem(`The ${failed.part} ended with code ${failed.code}.`, failed.code || 1);
  };
  return { first, add, throwIfAny };
}

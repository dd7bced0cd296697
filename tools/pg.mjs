// @ts-check
/**
 * The embedded PostgreSQL: a real server from npm's binaries, started on a data directory of ours.
 * The reasons are in docs/decisions/0001-embedded-postgresql.md.
 */
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { waitForLock, writeAtomically } from './lock.mjs';
import { freePort } from './ports.mjs';
import { chooseServerUser, findBinaries, run } from './postgres-binaries.mjs';
import { DATABASE_USER, openCluster } from './postgres-cluster.mjs';
import { identify, isRunning } from './process-identity.mjs';
import { supervise } from './supervise.mjs';

/** @typedef {import('./process-identity.mjs').Identity} Identity */
/** `durable: false` is for tests. @typedef {{ dataDir: string, durable?: boolean }} PostgresOptions */
/**
 * @typedef {object} Postgres
 * @property {string} url
 * @property {number} port
 * @property {string} directory
 * @property {boolean} reused
 * @property {() => Promise<void>} stop
 * @property {(log: (line: string) => void) => () => void} keepRunning starts the server again on its port when it has ended; returns what ends that
 */

const MAX_CONNECTIONS = 200;
/** An eighth of the memory; the rest is for the programs and the page cache of the system. */
const SHARED_BUFFERS_MB = Math.min(1024, Math.max(128, Math.floor(os.totalmem() / 2 ** 23)));
/** Faster, but data is lost in a power failure. */
const TEST_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // A backend that waits for a silent client to authenticate blocks every "drop database" on the server.
  authentication_timeout: '10s',
};
const START_ATTEMPTS = 5;
/** How often a running server is looked at. */
const WATCH_MS = 500;
/** How long a server that pg_ctl reports as running may stay silent, for example during recovery after a crash. */
const RESPONSE_TIMEOUT_MS = 2000;

/** @typedef {(...args: string[]) => Promise<{ code: number, output: string }>} Control */

/** Every PostgreSQL server responds to an SSLRequest with one letter. @param {number} port @returns {Promise<boolean>} */
function isPostgres(port) {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port, timeout: 1000 });
    socket.once('connect', () => socket.write(Buffer.from('0000000804d2162f', 'hex')));
    socket.once('data', (chunk) => {
      resolve(chunk[0] === 0x4e || chunk[0] === 0x53);
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy());
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

/**
 * pg_ctl checks only the process id, which after a crash or in a restarted container may belong to another program: so this
 * checks the port as well. Removing the file is safe, because a server refuses to start while old backends live.
 * @param {string} directory @param {Control} control @returns {Promise<number | undefined>} its port
 */
async function findRunningServer(directory, control) {
  if ((await control('status')).code !== 0) return undefined;
  const pidFile = path.join(directory, 'postmaster.pid');
  const deadline = Date.now() + RESPONSE_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const port = fs.existsSync(pidFile) ? Number(fs.readFileSync(pidFile, 'utf8').split('\n')[3]) : 0;
    if (port > 0 && (await isPostgres(port))) return port;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  fs.rmSync(pidFile, { force: true });
  return undefined;
}

/** @param {string} directory @param {Control} control @param {boolean} durable @param {number} [wanted] @returns {Promise<number>} its port */
async function launch(directory, control, durable, wanted) {
  const log = path.join(directory, 'server.log');
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: "''",
    max_connections: MAX_CONNECTIONS,
    shared_buffers: `${SHARED_BUFFERS_MB}MB`,
    // After a checkpoint, the first change of each page logs the full page: fewer checkpoints, fewer full pages.
    max_wal_size: '2GB',
    ...(durable ? {} : TEST_SETTINGS),
  };
  for (let attempt = 1; ; attempt++) {
    const port = wanted ?? (await freePort());
    const flags = Object.entries({ ...settings, port }).map(([name, value]) => `-c ${name}=${value}`);
    const { code, output } = await control('-w', '-t', '60', '-l', log, '-o', flags.join(' '), 'start');
    if (code === 0) return port;
    if (wanted === undefined && attempt < START_ATTEMPTS) continue;
    const tail = fs.existsSync(log) ? fs.readFileSync(log, 'utf8').slice(-2000) : '';
    throw new Error(`PostgreSQL did not start: ${output}${tail}`);
  }
}

/** @param {string} directory */
async function waitForEnd(directory) {
  const pidFile = path.join(directory, 'postmaster.pid');
  if (!fs.existsSync(pidFile)) return;
  const server = identify(Number.parseInt(fs.readFileSync(pidFile, 'utf8'), 10));
  while (isRunning({ ...server })) await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
}

/** The processes that use the server; the last one stops it. @param {string} file @returns {Identity[]} */
function readUsers(file) {
  if (!fs.existsSync(file)) return [];
  const users = /** @type {Identity[]} */ (JSON.parse(fs.readFileSync(file, 'utf8')));
  return users.filter(isRunning);
}

/**
 * Starts the server of a data directory, or uses the one that already runs there (`reused`). It survives a killed parent;
 * the next start finds it.
 * @param {PostgresOptions} options @returns {Promise<Postgres>}
 */
export async function startPostgres({ dataDir, durable = true }) {
  const wanted = path.resolve(dataDir);
  const lockFile = `${wanted}.lock`;
  const usersFile = `${wanted}.users.json`;
  const takeLock = () => waitForLock(lockFile, { what: 'another start of the embedded PostgreSQL' });

  const lock = await takeLock();
  try {
    const user = chooseServerUser();
    const binaries = await findBinaries(user);
    const { directory, password } = await openCluster(binaries, user, wanted, durable);
    /** @type {Control} */
    const control = (...args) => run(binaries.pgCtl, ['-D', directory, ...args], { ...user, cwd: '/' });
    const running = await findRunningServer(directory, control);
    const port = running ?? (await launch(directory, control, durable));
    const me = identify();
    writeAtomically(usersFile, [...readUsers(usersFile), me]);

    const stop = async () => {
      const stopLock = await takeLock();
      try {
        const users = readUsers(usersFile);
        const mine = users.findIndex(({ pid }) => pid === me.pid);
        if (mine === -1) return;
        const others = users.toSpliced(mine, 1);
        writeAtomically(usersFile, others);
        if (others.length === 0) await control('-w', '-m', 'fast', 'stop');
      } finally {
        stopLock.release();
      }
    };
    const url = `postgres://${DATABASE_USER}:${password}@127.0.0.1:${port}/postgres`;
    const startAgain = async () => {
      const startLock = await takeLock();
      try {
        if ((await findRunningServer(directory, control)) === undefined)
          await launch(directory, control, durable, port);
      } finally {
        startLock.release();
      }
    };
    const keepRunning = (/** @type {(line: string) => void} */ log) =>
      supervise(
        () => ({
          exited: startAgain()
            .then(() => waitForEnd(directory))
            .catch((/** @type {Error} */ error) => log(error.message))
            .then(() => 1),
          isEnding: () => false,
        }),
        { onEnd: (_, delayMs) => log(`The database has ended; it is started again in ${delayMs / 1000} s.`) },
      );
    return { url, port, directory, reused: running !== undefined, stop, keepRunning };
  } finally {
    lock.release();
  }
}

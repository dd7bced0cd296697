/**
 * Attacks the API from one address and from 500, while customers of other networks use it, near and far, and checks that neither
 * they nor the process are affected.
 *
 * Usage: npm run build && npm run attacks -- [seconds=10] [only=bodies] [addresses=1]
 */
import { signIn } from '@cellhop/contract/auth';
import { createClient } from '@cellhop/contract/client';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ROUND_TRIPS_MS } from '../gateway/test/distance.ts';
import { startPostgres } from '../tools/pg.mjs';
import { freePort } from '../tools/ports.mjs';
import { startProduct } from '../tools/product.mjs';
import { cloneDatabase } from '../tools/test-database.mjs';
import { attacks } from './attacks.ts';
import type { Counts, Target } from './client.ts';
import type { AttackJob, Report } from './generator.ts';
import { Customers, percentile, type Observation } from './honest-customers.ts';
import { liveMegabytes } from './live-memory.ts';
import { ProcessMonitor } from './process-monitor.ts';

/** In addition to the round trips of a request, and of the connection that it may need. */
const P95_MS_MAX = 500;
const ROUND_TRIPS_PER_REQUEST = 2.5;
const MEGABYTES_MAX = 500;
/** Allowed growth of memory in use after a garbage collection: compiled code, rate-limiter entries, prepared statements. */
const GROWTH_MEGABYTES_MAX = 40;
/** A little longer than the timeout of an unfinished request. */
const RECOVERY_MS = 30_000;
const STREAMS_PER_USER = 10;
const PASSWORD = 'demo-password';
const LIVE_MEMORY_FILE = path.resolve('.data/attacks-memory.json');
const SIGN_IN = `${signIn.method} ${signIn.url}`;
const GENERATOR = fileURLToPath(new URL('generator.ts', import.meta.url));

const { seconds, only, addressCounts } = readArguments(process.argv.slice(2));
const postgres = await startPostgres({ dataDir: '.data/pg-attacks' });
const database = await cloneDatabase(postgres.url, 'template1');
const port = await freePort();
const product = await startProduct({
  databaseUrl: database.url,
  port,
  parts: ['api', 'worker', 'gateway'],
  logFile: '.data/attacks.log',
  env: {
    GATEWAY_ALLOW_PRIVATE: 'true',
    LOG_LEVEL: 'warn',
    NODE_OPTIONS: `--import ${new URL('live-memory.mjs', import.meta.url).href}`,
    LIVE_MEMORY_FILE,
  },
});
const violations: string[] = [];
void product.failure.then(({ part, code }) => violations.push(`the ${part} exited unexpectedly with code ${code}`));

try {
  await runAttack('nothing', 0);
  for (const { name } of attacks.filter((attack) => only === undefined || attack.name.includes(only)))
    for (const addressCount of addressCounts) await runAttack(name, addressCount);
} finally {
  await product.stop();
  await database.drop();
  await postgres.stop();
}
for (const violation of violations) console.error(violation);
console.log(`${violations.length} violations`);
process.exit(violations.length === 0 ? 0 : 1);

async function runAttack(name: string, addressCount: number): Promise<void> {
  const title = `${name} from ${addressCount} addresses`;
  // A fresh process, so that one attack does not affect the measurement of the next.
  await product.restart('api');
  const { pid } = product.processes.get('api')!;
  const monitor = new ProcessMonitor(pid);
  const before = { megabytes: await liveMegabytes(pid, LIVE_MEMORY_FILE), sockets: monitor.sockets };
  const call = createClient({ baseUrl: product.url });
  const tokenOf = async (email: string) =>
    (await call(signIn, { body: { email, password: PASSWORD } })).data.accessToken;
  const [accessToken, staffToken] = [await tokenOf('user@example.com'), await tokenOf('admin@example.com')];
  const customers = await Customers.start(port, [
    { email: 'support@example.com', password: PASSWORD },
    { email: 'admin@example.com', password: PASSWORD },
  ]);
  const cpuAtStart = monitor.cpuSeconds;
  const report = await attack(name, {
    port,
    host: `127.0.0.1:${port}`,
    accessToken,
    staffToken,
    addresses: createAddresses(addressCount),
  });
  const cpuShare = share(monitor.cpuSeconds - cpuAtStart);
  await customers.stop();
  const streams = await countStreams(accessToken);
  const released = await waitForRelease(pid, monitor, before);
  monitor.stop();
  const found = [...checkCustomers(customers.observations), ...released.found];
  if (monitor.peakMegabytes > MEGABYTES_MAX) found.push(`${monitor.peakMegabytes} MB of memory`);
  if (streams < STREAMS_PER_USER) found.push(`the account has ${streams} event streams left`);
  violations.push(...found.map((violation) => `${title}: ${violation}`));
  printCustomers(title, customers, report);
  console.log(
    `  the API: ${cpuShare} % of a core; ${monitor.peakMegabytes} MB at most; in use ${before.megabytes} MB before, ${released.megabytes} MB afterwards`,
  );
}

async function attack(name: string, target: Target): Promise<Report | undefined> {
  if (target.addresses.length === 0) {
    await pause(seconds * 1000);
    return undefined;
  }
  const generator = fork(GENERATOR);
  const exited = once(generator, 'exit').then(([code]) => {
    throw new Error(`the attacker exited with code ${String(code)}`);
  });
  const nextMessage = () => Promise.race([once(generator, 'message'), exited]);
  exited.catch(() => {}); // Its rejection is handled by each `race`.
  await nextMessage(); // The generator is ready.
  generator.send({ attack: name, target } satisfies AttackJob);
  await pause(seconds * 1000);
  const reported = nextMessage();
  generator.send('stop');
  const [report] = (await reported) as [Report];
  return report;
}

function checkCustomers(observations: readonly Observation[]): string[] {
  return ROUND_TRIPS_MS.flatMap((roundTripMs) => {
    const distant = observations.filter((observation) => observation.roundTripMs === roundTripMs);
    const refused = distant.filter(({ status }) => status !== 200);
    const p95 = percentile(toMilliseconds(distant), 0.95);
    const kinds = [...new Set(refused.map(({ what, status }) => `${what} ${status ?? 'without a response'}`))];
    const others = `others at ${roundTripMs} ms`;
    return [
      ...(refused.length > 0 ? [`${refused.length} requests of ${others} failed: ${kinds.join(', ')}`] : []),
      ...(p95 > P95_MS_MAX + ROUND_TRIPS_PER_REQUEST * roundTripMs
        ? [`p95 of ${others} is ${Math.round(p95)} ms`]
        : []),
    ];
  });
}

interface Resources {
  /** In use after a garbage collection. */
  megabytes: number;
  sockets: number;
}

/**
 * Waits until everything is released, at most as long as the slowest client may take. Memory is measured after a garbage
 * collection; uncollected garbage is bounded by the peak.
 */
async function waitForRelease(
  pid: number,
  monitor: ProcessMonitor,
  before: Resources,
): Promise<{ megabytes: number; found: string[] }> {
  const deadline = performance.now() + RECOVERY_MS;
  for (;;) {
    const { sockets } = monitor;
    const megabytes = await liveMegabytes(pid, LIVE_MEMORY_FILE);
    const found = [
      // The database pool may have grown, and idle sockets of customers may remain.
      ...(sockets > before.sockets + 40 ? [`${sockets} sockets afterwards, ${before.sockets} before`] : []),
      ...(megabytes > before.megabytes + GROWTH_MEGABYTES_MAX
        ? [`${megabytes} MB in use afterwards, ${before.megabytes} MB before`]
        : []),
    ];
    if (found.length === 0 || performance.now() > deadline) return { megabytes, found };
    await pause(500);
  }
}

/** The streams that the attacker's account can open: an attack must not block its own account permanently either. */
async function countStreams(accessToken: string): Promise<number> {
  const controller = new AbortController();
  const statuses = await Promise.all(
    Array.from({ length: STREAMS_PER_USER }, async () => {
      const headers = { authorization: `Bearer ${accessToken}` };
      const response = await fetch(product.url + LIVE_EVENTS_PATH, { headers, signal: controller.signal });
      return response.status;
    }),
  );
  controller.abort();
  return statuses.filter((status) => status === 200).length;
}

function printCustomers(title: string, { observations, newcomers }: Customers, report: Report | undefined): void {
  const signIns = observations.filter(({ what }) => what === SIGN_IN);
  const arrived = newcomers.filter(({ status }) => status === 200);
  console.log(`${title}: sign-ins of others ${describeTimes(signIns)}`);
  for (const roundTripMs of ROUND_TRIPS_MS) {
    const distant = observations.filter((observation) => observation.roundTripMs === roundTripMs);
    console.log(`  others at ${roundTripMs} ms: ${describeTimes(distant)}`);
  }
  console.log(
    `  newcomers: ${newcomers.length - arrived.length} sign-ins refused, ${describeTimes(arrived)} succeeded`,
  );
  if (report) console.log(`  attacker: ${describe(report.counts)}; ${share(report.cpuSeconds)} % of a core`);
}

function describeTimes(observations: readonly Observation[]): string {
  const milliseconds = toMilliseconds(observations);
  const [median, p95] = [0.5, 0.95].map((part) => Math.round(percentile(milliseconds, part)));
  return `${milliseconds.length} requests (median ${median} ms, p95 ${p95} ms)`;
}

/** In percent of a core, over the duration of an attack. */
function share(cpuSeconds: number): number {
  return Math.round((100 * cpuSeconds) / seconds);
}

function describe({ opened, closedByServer, responses }: Counts): string {
  const parts = Object.entries(responses).map(([status, count]) => `${count} x ${status}`);
  return [`${opened} sockets opened`, `${closedByServer} closed by the server`, ...parts].join(', ');
}

function toMilliseconds(observations: readonly Observation[]): number[] {
  return observations.map(({ ms }) => ms);
}

/** Each address is a separate network; customers use others. */
function createAddresses(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `127.${10 + Math.floor(index / 250)}.0.${1 + (index % 250)}`);
}

function readArguments(given: readonly string[]): {
  seconds: number;
  only: string | undefined;
  addressCounts: number[];
} {
  const values = new Map<string, string>();
  for (const argument of given) {
    const [, name, value] = /^(seconds|addresses)=(\d+)$/.exec(argument) ?? /^(only)=(.+)$/.exec(argument) ?? [];
    const isKnown = name !== undefined && (name !== 'only' || attacks.some((attack) => attack.name.includes(value!)));
    if (!isKnown) {
      console.error(`"${argument}" is unknown: npm run attacks -- [seconds=10] [only=bodies] [addresses=1]`);
      process.exit(1);
    }
    values.set(name, value!);
  }
  const addresses = values.get('addresses');
  const addressCounts = addresses === undefined ? [1, 500] : [Number(addresses)];
  return { seconds: Number(values.get('seconds') ?? 10), only: values.get('only'), addressCounts };
}

/**
 * Attacks the API from one address and from 500, while customers of other networks go on with what they do, and judges
 * whether they and the process notice.
 *
 * Usage: npm run build && npm run attacks -- [seconds=10] [only=bodies] [addresses=1]
 */
import { signIn } from '@cellhop/contract/auth';
import { createClient } from '@cellhop/contract/client';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../tools/pg.mjs';
import { freePort } from '../tools/ports.mjs';
import { startProduct } from '../tools/product.mjs';
import { cloneDatabase } from '../tools/test-database.mjs';
import { attacks } from './attacks.ts';
import type { Counts, Target } from './client.ts';
import type { Order, Report } from './generator.ts';
import { Customers, percentile, type Observation } from './honest.ts';
import { liveMegabytes } from './live-memory.ts';
import { WatchedProcess } from './watched-process.ts';

const P95_MS_MAX = 500;
const MEGABYTES_MAX = 500;
/** Of memory in use after a garbage collection: code that was compiled, limits of addresses, statements that were prepared. */
const KEPT_MEGABYTES_MAX = 40;
/** The longest that an unfinished request may take, and a bit. */
const RECOVERY_MS = 30_000;
const STREAMS_PER_USER = 10;
const PASSWORD = 'demo-password';
const LIVE_MEMORY_FILE = path.resolve('.data/attacks-memory.json');
const SIGN_IN = `${signIn.method} ${signIn.url}`;
const GENERATOR = fileURLToPath(new URL('generator.ts', import.meta.url));

const { seconds, only, crowds } = readArguments(process.argv.slice(2));
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
void product.failure.then(({ part, code }) => violations.push(`the ${part} ended by itself with code ${code}`));

try {
  await judge('nothing', 0);
  for (const { name } of attacks.filter((attack) => only === undefined || attack.name.includes(only)))
    for (const crowd of crowds) await judge(name, crowd);
} finally {
  await product.stop();
  await database.drop();
  await postgres.stop();
}
for (const violation of violations) console.error(violation);
console.log(`${violations.length} violations`);
process.exit(violations.length === 0 ? 0 : 1);

async function judge(name: string, crowd: number): Promise<void> {
  const title = `${name} from ${crowd} addresses`;
  // What one attack leaves behind must not be counted for the next.
  await product.restart('api');
  const { pid } = product.processes.get('api')!;
  const watched = new WatchedProcess(pid);
  const before = { megabytes: await liveMegabytes(pid, LIVE_MEMORY_FILE), sockets: watched.sockets };
  const attacker = await createClient({ baseUrl: product.url })(signIn, {
    body: { email: 'user@example.com', password: PASSWORD },
  });
  const customers = await Customers.start(port, [
    { email: 'support@example.com', password: PASSWORD },
    { email: 'admin@example.com', password: PASSWORD },
  ]);
  const { accessToken } = attacker.data;
  const cpuAtStart = watched.cpuSeconds;
  const report = await attack(name, { port, host: `127.0.0.1:${port}`, accessToken, addresses: addressesOf(crowd) });
  const cpuShare = share(watched.cpuSeconds - cpuAtStart);
  await customers.stop();
  const streams = await countStreams(accessToken);
  const settled = await settle(pid, watched, before);
  watched.stop();
  const complaints = [...judgeCustomers(customers.observations), ...settled.complaints];
  if (watched.peakMegabytes > MEGABYTES_MAX) complaints.push(`${watched.peakMegabytes} MB of memory`);
  if (streams < STREAMS_PER_USER) complaints.push(`the account has ${streams} event streams left`);
  violations.push(...complaints.map((complaint) => `${title}: ${complaint}`));
  tell(title, customers, report);
  console.log(
    `  the API: ${cpuShare} % of a core; ${watched.peakMegabytes} MB at most; in use ${before.megabytes} MB before, ${settled.megabytes} MB afterwards`,
  );
}

async function attack(name: string, target: Target): Promise<Report | undefined> {
  if (target.addresses.length === 0) {
    await pause(seconds * 1000);
    return undefined;
  }
  const generator = fork(GENERATOR);
  const died = once(generator, 'exit').then(([code]) => {
    throw new Error(`the attacker ended with code ${String(code)}`);
  });
  const hear = () => Promise.race([once(generator, 'message'), died]);
  died.catch(() => {}); // It is looked at whenever something is heard.
  await hear(); // It is ready.
  generator.send({ attack: name, target } satisfies Order);
  await pause(seconds * 1000);
  const reported = hear();
  generator.send('stop');
  const [report] = (await reported) as [Report];
  return report;
}

function judgeCustomers(observations: readonly Observation[]): string[] {
  const refused = observations.filter(({ status }) => status !== 200);
  const p95 = percentile(millisecondsOf(observations), 0.95);
  const kinds = [...new Set(refused.map(({ what, status }) => `${what} ${status ?? 'without an answer'}`))];
  return [
    ...(refused.length > 0 ? [`${refused.length} requests of others failed: ${kinds.join(', ')}`] : []),
    ...(p95 > P95_MS_MAX ? [`p95 of others is ${Math.round(p95)} ms`] : []),
  ];
}

interface Kept {
  /** In use, after a garbage collection. */
  megabytes: number;
  sockets: number;
}

/**
 * Everything is given back, within the time that the slowest client may take. Memory is judged after a garbage collection: what the
 * process merely has not collected yet is bounded by the peak.
 */
async function settle(
  pid: number,
  watched: WatchedProcess,
  before: Kept,
): Promise<{ megabytes: number; complaints: string[] }> {
  const deadline = performance.now() + RECOVERY_MS;
  for (;;) {
    const { sockets } = watched;
    const megabytes = await liveMegabytes(pid, LIVE_MEMORY_FILE);
    const complaints = [
      // The database's pool may have grown, and idle sockets of customers may be left.
      ...(sockets > before.sockets + 40 ? [`${sockets} sockets afterwards, ${before.sockets} before`] : []),
      ...(megabytes > before.megabytes + KEPT_MEGABYTES_MAX
        ? [`${megabytes} MB in use afterwards, ${before.megabytes} MB before`]
        : []),
    ];
    if (complaints.length === 0 || performance.now() > deadline) return { megabytes, complaints };
    await pause(500);
  }
}

/** Of the account from which the attack came: an attack must not lock its own account out for ever either. */
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

function tell(title: string, { observations, newcomers }: Customers, report: Report | undefined): void {
  const signIns = observations.filter(({ what }) => what === SIGN_IN);
  const arrived = newcomers.filter(({ status }) => status === 200);
  console.log(`${title}: others ${describeTimes(observations)}; their sign-ins ${describeTimes(signIns)}`);
  console.log(
    `  newcomers: ${newcomers.length - arrived.length} sign-ins refused, ${describeTimes(arrived)} succeeded`,
  );
  if (report) console.log(`  attacker: ${describe(report.counts)}; ${share(report.cpuSeconds)} % of a core`);
}

function describeTimes(observations: readonly Observation[]): string {
  const milliseconds = millisecondsOf(observations);
  const [median, p95] = [0.5, 0.95].map((part) => Math.round(percentile(milliseconds, part)));
  return `${milliseconds.length} requests (median ${median} ms, p95 ${p95} ms)`;
}

/** In per cent of a core, over the time of an attack. */
function share(cpuSeconds: number): number {
  return Math.round((100 * cpuSeconds) / seconds);
}

function describe({ opened, closedByServer, answers }: Counts): string {
  const parts = Object.entries(answers).map(([status, count]) => `${count} x ${status}`);
  return [`${opened} sockets opened`, `${closedByServer} closed by the server`, ...parts].join(', ');
}

function millisecondsOf(observations: readonly Observation[]): number[] {
  return observations.map(({ ms }) => ms);
}

/** Each is a network of its own; customers are elsewhere. */
function addressesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `127.${10 + Math.floor(index / 250)}.0.${1 + (index % 250)}`);
}

function readArguments(given: readonly string[]): { seconds: number; only: string | undefined; crowds: number[] } {
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
  const crowds = addresses === undefined ? [1, 500] : [Number(addresses)];
  return { seconds: Number(values.get('seconds') ?? 10), only: values.get('only'), crowds };
}

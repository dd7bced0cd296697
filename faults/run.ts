/**
 * Injects faults into programs, database and networks at random moments under traffic, repairs them, and checks after each
 * round that no money was lost or created.
 *
 * Usage: npm run faults -- [rounds=13] [seed=7] [only=gateway]
 */
import { BYTES_PER_MEGABYTE } from '@cellhop/contract/limits';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { checkInvariants } from '../api/src/db/check-invariants.ts';
import { loadConfig } from '../api/src/process/config.ts';
import { createCtx, type Ctx } from '../api/src/ctx.ts';
import { openDatabase } from '../api/src/db/db.ts';
import { createLog } from '../api/src/process/log.ts';
import { addNode } from '../api/src/modules/gateway/gateway.service.ts';
import { openDistantPorts } from '../gateway/test/distance.ts';
import { cellhop, startChild } from '../tools/child-process.mjs';
import { freePort } from '../tools/ports.mjs';
import { startProduct } from '../tools/product.mjs';
import { graceMs } from '../tools/programs.mjs';
import { acceptsConnections, returnsOk, waitUntilReady } from '../tools/readiness.mjs';
import { cloneDatabase } from '../tools/test-database.mjs';
import { Server } from './database.ts';
import { faults, type Fault, type Parts } from './faults.ts';
import { describeLosses, type GatewayKill } from './gateway-kills.ts';
import { Network } from './network.ts';
import { createRandom } from '../tools/random.ts';
import { options } from './options.ts';
import { ReportTap } from './report-tap.ts';
import { Customers, ONE_BUYER } from './customers.ts';

const CUSTOMERS = 4;
/** The bytes that a gateway may have counted but not delivered when a tunnel breaks: its buffers and those of the distance. */
const SOCKET_BUFFERS_BYTES = 2 * 8 * BYTES_PER_MEGABYTE;
const LOG_FILE = '.data/faults.log';
const SECOND_GATEWAY = { GATEWAY_DRAIN_SECONDS: '0' };

/** The timeout of a request during any fault: an API that hangs is a violation. */
const REQUEST_LIMIT_MS = 60_000;
const RECOVERY_LIMIT_MS = 60_000;

const { rounds, seed, only } = readArguments(options);
const random = createRandom(seed);
const server = await Server.start();
// An undisturbed route for the checks. template1 is empty, so the product prepares the database as on a first start.
const checkRoute = await server.openRoute();
const database = await cloneDatabase(server.urlBy(checkRoute), 'template1');
const databaseRoutes = [await server.openRoute(), await server.openRoute()] as const;
const ports = [await freePort(), await freePort()] as const;
const taps = [new ReportTap(), new ReportTap()] as const;
const controlNetworks = [0, 1].map(
  (index) =>
    new Network(
      () => ports[index]!,
      () => taps[index]!.createReader(),
    ),
);
const gatewayKills: GatewayKill[] = [];
const countKills = (gateway: number) => gatewayKills.filter((kill) => kill.gateway === gateway).length;
const [firstControl, secondControl] = await Promise.all(
  controlNetworks.map(async (network) => `http://127.0.0.1:${await network.listen()}`),
);
const settings = {
  SECRET_KEY: randomBytes(32).toString('hex'),
  GATEWAY_TOKEN: randomBytes(32).toString('hex'),
  GATEWAY_ALLOW_PRIVATE: 'true',
  // Dead connections are detected within a round.
  DATABASE_TIMEOUT_SECONDS: '2',
  LOG_LEVEL: 'warn',
  ...ONE_BUYER,
};
const shared = { logFile: LOG_FILE, log: (line: string) => console.log(line) };
const { pathname } = new URL(database.url);
const first = await startProduct({
  ...shared,
  databaseUrl: server.urlBy(databaseRoutes[0], pathname),
  port: ports[0],
  env: { ...settings, GATEWAY_CONTROL_URL: firstControl },
});
const second = await startProduct({
  ...shared,
  databaseUrl: server.urlBy(databaseRoutes[1], pathname),
  port: ports[1],
  parts: ['api', 'worker'],
  env: settings,
});
const products = [first, second];
const checkDatabase = openDatabase(database.url, 2);
const ctx = createCtx(checkDatabase, readOnlyConfig(), createLog('faults', 'fatal', false));
const secondPort = await freePort();
const startSecond = await prepareSecondGateway(ctx);
const parts: Parts = {
  products,
  server,
  controlNetworks,
  databaseNetworks: databaseRoutes.map(({ network }) => network),
  secondGateway: { child: startSecond(), start: startSecond },
};
await waitUntilReady(acceptsConnections(secondPort, '127.0.0.1'), () => {});

let isOpen = true;
const customers = new Customers({
  urls: products.map(({ url }) => url),
  requestLimitMs: REQUEST_LIMIT_MS,
  gatewayPorts: await Promise.all([first.gatewayPort, secondPort].map(openDistantPorts)),
  gatewayKills: countKills,
  random,
  isOpen: () => isOpen,
});
await customers.signIn();
console.log(`seed ${seed}, ${rounds} rounds, ${products.map(({ url }) => url).join(' and ')}`);
const activities = [customers.runTopUps(), ...Array.from({ length: CUSTOMERS }, () => customers.runCustomer())];

const selected = faults.filter(({ name }) => only === undefined || name.includes(only));
const kills = selected.filter(({ isKill }) => isKill);
const disturbances = selected.filter(({ isKill }) => !isKill);
const violations: string[] = [];
for (const { failure } of products)
  void failure.then(({ part, code }) => violations.push(`the ${part} exited unexpectedly with code ${code}`));
const tally = new Map<string, number>();
for (let round = 1; round <= rounds && violations.length === 0; round += 1) await runRound(round);
isOpen = false;
await Promise.all(activities);
violations.push(...(await customers.close()));
const moneyOut = await customers.moneyOutMicros();
violations.push(
  ...customers.violations,
  ...(await checkInvariants(ctx)),
  ...(await checkBytes()),
  ...(await findDeadlocks()),
);
if (moneyOut !== customers.moneyInMicros) violations.push('payments do not equal charges plus balance');
report();
await stopAll();
const isSuccess = violations.length === 0 && customers.counts.downloads > 0 && customers.counts.paid > 0;
process.exit(isSuccess ? 0 : 1);

async function runRound(round: number): Promise<void> {
  // The first rounds inject each fault once, independent of the seed.
  const rest = random.below(2) > 0 || disturbances.length === 0 ? kills : disturbances;
  const fault = selected[round - 1] ?? random.pick(rest.length > 0 ? rest : selected);
  const startedAt = performance.now();
  await pause(200 + random.below(600));
  await fault.inject(parts);
  if (fault.gateway !== undefined) recordKill(round, fault.gateway);
  await pause(random.below(fault.durationMsMax ?? 1000));
  await fault.repair(parts);
  tally.set(fault.name, (tally.get(fault.name) ?? 0) + 1);
  const found = [...(await waitForRecovery(fault)), ...(await retrying(() => checkInvariants(ctx)))];
  violations.push(...found);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`round ${round}: ${fault.name}, ${found.length} violations, ${seconds} s`);
}

/** Every API must recover from a database or network failure without a restart. @returns violations */
async function waitForRecovery(fault: Fault): Promise<string[]> {
  const found: string[] = [];
  for (const { url } of products) {
    const deadline = performance.now() + RECOVERY_LIMIT_MS;
    const checkReady = returnsOk(`${url}/health/ready`);
    for (let failure = await checkReady(); failure !== undefined; failure = await checkReady()) {
      if (performance.now() > deadline) {
        found.push(`${failure} long after "${fault.name}"`);
        break;
      }
      await pause(100);
    }
  }
  return found;
}

function recordKill(round: number, gateway: number): void {
  const generation = countKills(gateway);
  const { lastRunId } = taps[gateway]!;
  const isNew = gatewayKills.every(({ runId }) => runId !== lastRunId);
  const passedBefore = customers.passedThrough(gateway, generation);
  gatewayKills.push({ round, gateway, generation, runId: isNew ? lastRunId : undefined, passedBefore });
}

/** No connection may count more than the traffic of the customer; exact to the byte if no tunnel broke. */
async function checkBytes(): Promise<string[]> {
  const rows = await checkDatabase.query<{ id: string; usedBytes: bigint }>(
    'select id, used_bytes as "usedBytes" from connections',
  );
  const totals = { passed: 0, counted: 0, unbilledBytes: 0, undeliveredBytes: 0 };
  const found: string[] = [];
  for (const { id, usedBytes } of rows) {
    const { bytes, brokenTunnels } = customers.passed(id);
    const counted = Number(usedBytes);
    totals.passed += bytes;
    totals.counted += counted;
    totals.unbilledBytes += Math.max(0, bytes - counted);
    totals.undeliveredBytes += Math.max(0, counted - bytes);
    if (counted > bytes + brokenTunnels * SOCKET_BUFFERS_BYTES)
      found.push(`connection ${id} counts ${counted} bytes, the customer transferred ${bytes}`);
  }
  console.log(
    `${megabytes(totals.passed)} passed, ${megabytes(totals.counted)} counted, ${megabytes(totals.unbilledBytes)} not charged, ` +
      `${megabytes(totals.undeliveredBytes)} counted but lost in broken tunnels`,
  );
  for (const line of await describeLosses(ctx, customers, taps, gatewayKills)) console.log(line);
  return found;
}

/** All transactions lock in one order, so there must be no deadlock. */
async function findDeadlocks(): Promise<string[]> {
  const [row] = await checkDatabase.query<{ deadlocks: bigint }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return row!.deadlocks === 0n ? [] : [`${row!.deadlocks} deadlocks`];
}

function report(): void {
  const killed = kills.reduce((sum, { name }) => sum + (tally.get(name) ?? 0), 0);
  console.log(
    Object.entries(customers.counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', '),
  );
  console.log([...tally].map(([name, count]) => `${name}: ${count}`).join(', '));
  console.log(
    `${dollars(customers.moneyInMicros)} in, ${dollars(moneyOut)} out, difference ${dollars(customers.moneyInMicros - moneyOut)}`,
  );
  for (const violation of violations) console.error(violation);
  const roundCount = [...tally.values()].reduce((sum, count) => sum + count, 0);
  console.log(`${roundCount} rounds, ${killed} kills, ${violations.length} violations`);
}

async function stopAll(): Promise<void> {
  await parts.secondGateway.child.end(graceMs('gateway', SECOND_GATEWAY));
  await first.stop();
  await second.stop();
  await checkDatabase.close();
  await database.drop();
  for (const network of controlNetworks) network.close();
  await server.stop();
}

/** A separate node with its own token, as on another machine. */
async function prepareSecondGateway(ctx: Ctx): Promise<() => ReturnType<typeof startChild>> {
  const environment = {
    PATH: process.env['PATH'],
    GATEWAY_TOKEN: await addNode(ctx, 'second'),
    GATEWAY_CONTROL_URL: secondControl,
    GATEWAY_PORT: String(secondPort),
    GATEWAY_ALLOW_PRIVATE: 'true',
    ...SECOND_GATEWAY,
    LOG_LEVEL: 'warn',
  };
  return () => startChild(cellhop('gateway'), environment, LOG_FILE);
}

function readOnlyConfig() {
  const unused = randomBytes(32).toString('hex');
  return loadConfig({ DATABASE_URL: database.url, SECRET_KEY: unused, GATEWAY_TOKEN: unused });
}

/** Retries while the database is recovering. */
async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 100) throw error;
      await pause(200);
    }
  }
}

function readArguments(given: readonly string[]): { rounds: number; seed: number; only: string | undefined } {
  const values = new Map<string, string>();
  for (const argument of given) {
    const [, name, value] = /^(rounds|seed)=(\d+)$/.exec(argument) ?? /^(only)=(.+)$/.exec(argument) ?? [];
    const isKnown = name !== undefined && (name !== 'only' || faults.some((fault) => fault.name.includes(value!)));
    if (!isKnown) {
      console.error(`"${argument}" is unknown: npm run faults -- [rounds=13] [seed=7] [only=gateway]`);
      process.exit(1);
    }
    values.set(name, value!);
  }
  const readNumber = (name: string, otherwise: number) => Number(values.get(name) ?? otherwise);
  return {
    rounds: readNumber('rounds', faults.length),
    seed: readNumber('seed', Date.now() % 100_000),
    only: values.get('only'),
  };
}

function megabytes(bytes: number): string {
  return `${(bytes / BYTES_PER_MEGABYTE).toFixed(2)} MB`;
}

function dollars(micros: number): string {
  return `$${(micros / 1e6).toFixed(6)}`;
}

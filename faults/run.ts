/**
 * Breaks programs, database and networks at random moments and under traffic, mends them again, and looks after each
 * round whether any money was lost or made up.
 *
 * Usage: npm run faults -- [rounds=13] [seed=7] [only=gateway]
 */
import { BYTES_PER_MEGABYTE } from '@cellhop/contract/limits';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { checkInvariants } from '../api/src/check-invariants.ts';
import { loadConfig } from '../api/src/config.ts';
import { createCtx, type Ctx } from '../api/src/ctx.ts';
import { openDatabase } from '../api/src/db.ts';
import { createLog } from '../api/src/log.ts';
import { addNode } from '../api/src/modules/gateway/gateway.service.ts';
import { startChild } from '../tools/child-process.mjs';
import { freePort } from '../tools/ports.mjs';
import { graceMs, startProduct } from '../tools/product.mjs';
import { acceptsConnections, answersOk, waitUntilReady } from '../tools/readiness.mjs';
import { cloneDatabase } from '../tools/test-database.mjs';
import { Server } from './database.ts';
import { faults, type Fault, type Parts } from './faults.ts';
import { tellLosses, type GatewayKill } from './gateway-kills.ts';
import { Network } from './network.ts';
import { createRandom } from '../tools/random.ts';
import { options } from './options.ts';
import { ReportWatch } from './report-watch.ts';
import { Shop } from './shop.ts';

const CUSTOMERS = 4;
/** What a gateway has counted and its sockets have not delivered when a tunnel breaks. */
const SOCKET_BUFFERS_BYTES = 8 * BYTES_PER_MEGABYTE;
const LOG_FILE = '.data/faults.log';
const SECOND_GATEWAY = { GATEWAY_DRAIN_SECONDS: '0' };

/** What a request may take, whatever is broken: an API that hangs would be the fault that these runs look for. */
const REQUEST_LIMIT_MS = 60_000;
const RECOVERY_LIMIT_MS = 60_000;

const { rounds, seed, only } = readArguments(options);
const random = createRandom(seed);
const server = await Server.start();
// An undisturbed way, to look after things. template1 is empty, so the product prepares the database as on a first start.
const ownWay = await server.publish();
const database = await cloneDatabase(server.urlBy(ownWay), 'template1');
const databaseWays = [await server.publish(), await server.publish()] as const;
const ports = [await freePort(), await freePort()] as const;
const watches = [new ReportWatch(), new ReportWatch()] as const;
const controlNetworks = [0, 1].map(
  (index) =>
    new Network(
      () => ports[index]!,
      () => watches[index]!.listen(),
    ),
);
const gatewayKills: GatewayKill[] = [];
const killsOf = (gateway: number) => gatewayKills.filter((kill) => kill.gateway === gateway).length;
const [firstControl, secondControl] = await Promise.all(
  controlNetworks.map(async (network) => `http://127.0.0.1:${await network.listen()}`),
);
const settings = {
  SECRET_KEY: randomBytes(32).toString('hex'),
  GATEWAY_TOKEN: randomBytes(32).toString('hex'),
  GATEWAY_ALLOW_PRIVATE: 'true',
  // Silence is found out within a round.
  DATABASE_TIMEOUT_SECONDS: '2',
  LOG_LEVEL: 'warn',
  // One customer buys for a whole shop.
  OPEN_CONNECTIONS_MAX: '1000000',
  PURCHASES_PER_HOUR: '1000000',
  UNUSED_RETURNS_PER_HOUR: '1000000',
};
const shared = { logFile: LOG_FILE, tell: (line: string) => console.log(line) };
const { pathname } = new URL(database.url);
const first = await startProduct({
  ...shared,
  databaseUrl: server.urlBy(databaseWays[0], pathname),
  port: ports[0],
  env: { ...settings, GATEWAY_CONTROL_URL: firstControl },
});
const second = await startProduct({
  ...shared,
  databaseUrl: server.urlBy(databaseWays[1], pathname),
  port: ports[1],
  parts: ['api', 'worker'],
  env: settings,
});
const products = [first, second];
const ownDatabase = openDatabase(database.url, 2);
const ctx = createCtx(ownDatabase, readOnlyConfig(), createLog('faults', 'fatal', false));
const secondPort = await freePort();
const startSecond = await prepareSecondGateway(ctx);
const parts: Parts = {
  products,
  server,
  controlNetworks,
  databaseNetworks: databaseWays.map(({ network }) => network),
  secondGateway: { child: startSecond(), start: startSecond },
};
await waitUntilReady(acceptsConnections(secondPort, '127.0.0.1'), () => {});

let isOpen = true;
const shop = new Shop({
  urls: products.map(({ url }) => url),
  requestLimitMs: REQUEST_LIMIT_MS,
  gatewayPorts: [first.gatewayPort, secondPort],
  gatewayKills: killsOf,
  random,
  isOpen: () => isOpen,
});
await shop.signIn();
console.log(`seed ${seed}, ${rounds} rounds, ${products.map(({ url }) => url).join(' and ')}`);
const customers = [shop.payOn(), ...Array.from({ length: CUSTOMERS }, () => shop.shopOn())];

const played = faults.filter(({ name }) => only === undefined || name.includes(only));
const kills = played.filter(({ isKill }) => isKill);
const disturbances = played.filter(({ isKill }) => !isKill);
const broken: string[] = [];
for (const { failure } of products)
  void failure.then(({ part, code }) => broken.push(`the ${part} ended by itself with code ${code}`));
const tally = new Map<string, number>();
for (let round = 1; round <= rounds && broken.length === 0; round += 1) await playRound(round);
isOpen = false;
await Promise.all(customers);
broken.push(...(await shop.close()));
const moneyOut = await shop.moneyOutMicros();
broken.push(...shop.complaints, ...(await checkInvariants(ctx)), ...(await judgeBytes()), ...(await deadlocks()));
if (moneyOut !== shop.moneyInMicros) broken.push('what was paid in is not what was charged and what is left');
report();
await stopAll();
const isSound = broken.length === 0 && shop.counts.downloads > 0 && shop.counts.paid > 0;
process.exit(isSound ? 0 : 1);

async function playRound(round: number): Promise<void> {
  // The first rounds play each fault once, whatever the seed.
  const rest = random.below(2) > 0 || disturbances.length === 0 ? kills : disturbances;
  const fault = played[round - 1] ?? random.pick(rest.length > 0 ? rest : played);
  const startedAt = performance.now();
  await pause(200 + random.below(600));
  await fault.breakIt(parts);
  if (fault.gateway !== undefined) noteKill(round, fault.gateway);
  await pause(random.below(fault.lastsMsMax ?? 1000));
  await fault.mend(parts);
  tally.set(fault.name, (tally.get(fault.name) ?? 0) + 1);
  const found = [...(await recover(fault)), ...(await patiently(() => checkInvariants(ctx)))];
  broken.push(...found);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`round ${round}: ${fault.name}, ${found.length} violations, ${seconds} s`);
}

/** Nobody restarts an API because its database or its network was away. @returns complaints */
async function recover(fault: Fault): Promise<string[]> {
  const complaints: string[] = [];
  for (const { url } of products) {
    const deadline = performance.now() + RECOVERY_LIMIT_MS;
    const ask = answersOk(`${url}/health/ready`);
    for (let heard = await ask(); heard !== undefined; heard = await ask()) {
      if (performance.now() > deadline) {
        complaints.push(`${heard} is the answer long after "${fault.name}"`);
        break;
      }
      await pause(100);
    }
  }
  return complaints;
}

function noteKill(round: number, gateway: number): void {
  const generation = killsOf(gateway);
  const { lastRunId } = watches[gateway]!;
  const isNew = gatewayKills.every(({ runId }) => runId !== lastRunId);
  const passedByThen = shop.passedThrough(gateway, generation);
  gatewayKills.push({ round, gateway, generation, runId: isNew ? lastRunId : undefined, passedByThen });
}

/** Nobody is charged for more than passed, to the byte where no tunnel broke. */
async function judgeBytes(): Promise<string[]> {
  const rows = await ownDatabase.query<{ id: string; usedBytes: bigint }>(
    'select id, used_bytes as "usedBytes" from connections',
  );
  const sums = { passed: 0, counted: 0, givenAway: 0, lostOnTheWay: 0 };
  const complaints: string[] = [];
  for (const { id, usedBytes } of rows) {
    const { bytes, brokenTunnels } = shop.passed(id);
    const counted = Number(usedBytes);
    sums.passed += bytes;
    sums.counted += counted;
    sums.givenAway += Math.max(0, bytes - counted);
    sums.lostOnTheWay += Math.max(0, counted - bytes);
    if (counted > bytes + brokenTunnels * SOCKET_BUFFERS_BYTES)
      complaints.push(`connection ${id} counts ${counted} bytes, the customer saw ${bytes}`);
  }
  console.log(
    `${megabytes(sums.passed)} passed, ${megabytes(sums.counted)} counted, ${megabytes(sums.givenAway)} given away, ` +
      `${megabytes(sums.lostOnTheWay)} counted and lost in broken tunnels`,
  );
  for (const line of await tellLosses(ctx, shop, watches, gatewayKills)) console.log(line);
  return complaints;
}

/** Everybody locks in one order, so there is none to break. */
async function deadlocks(): Promise<string[]> {
  const [row] = await ownDatabase.query<{ deadlocks: bigint }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return row!.deadlocks === 0n ? [] : [`${row!.deadlocks} deadlocks`];
}

function report(): void {
  const killed = kills.reduce((sum, { name }) => sum + (tally.get(name) ?? 0), 0);
  console.log(
    Object.entries(shop.counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', '),
  );
  console.log([...tally].map(([name, count]) => `${name}: ${count}`).join(', '));
  console.log(
    `${dollars(shop.moneyInMicros)} in, ${dollars(moneyOut)} out, difference ${dollars(shop.moneyInMicros - moneyOut)}`,
  );
  for (const sentence of broken) console.error(sentence);
  const playedRounds = [...tally.values()].reduce((sum, count) => sum + count, 0);
  console.log(`${playedRounds} rounds, ${killed} kills, ${broken.length} violations`);
}

async function stopAll(): Promise<void> {
  await parts.secondGateway.child.end(graceMs('gateway', SECOND_GATEWAY));
  await first.stop();
  await second.stop();
  await ownDatabase.close();
  await database.drop();
  for (const network of controlNetworks) network.close();
  await server.stop();
}

/** A node of its own, with a token of its own, as on another machine. */
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
  return () => startChild('gateway/dist/main.js', environment, LOG_FILE);
}

function readOnlyConfig() {
  const unused = randomBytes(32).toString('hex');
  return loadConfig({ DATABASE_URL: database.url, SECRET_KEY: unused, GATEWAY_TOKEN: unused });
}

/** The database may still be on its way back. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
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
  const numberOf = (name: string, otherwise: number) => Number(values.get(name) ?? otherwise);
  return {
    rounds: numberOf('rounds', faults.length),
    seed: numberOf('seed', Date.now() % 100_000),
    only: values.get('only'),
  };
}

function megabytes(bytes: number): string {
  return `${(bytes / BYTES_PER_MEGABYTE).toFixed(2)} MB`;
}

function dollars(micros: number): string {
  return `$${(micros / 1e6).toFixed(6)}`;
}

/**
 * Kills gateway, API and worker with SIGKILL, at random moments and under traffic, and starts them again; then looks
 * whether any money was lost or made up.
 *
 * Usage: npm run faults -- [seconds] [seed]
 */
import { connect, disconnect, listConnections, type Connection } from '@cellhop/contract/connections';
import { createClient, type Call } from '@cellhop/contract/client';
import { signIn } from '@cellhop/contract/auth';
import { payInvoice } from '@cellhop/contract/development';
import { createInvoice, listInvoices } from '@cellhop/contract/invoices';
import { searchProxies } from '@cellhop/contract/proxies';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { loadConfig } from '../api/src/config.ts';
import { audit } from '../api/src/audit.ts';
import { createCtx } from '../api/src/ctx.ts';
import { openDatabase } from '../api/src/db.ts';
import { createLog } from '../api/src/log.ts';
import { startPostgres } from '../tools/pg.mjs';
import { startProduct } from '../tools/product.mjs';
import { cloneDatabase } from '../tools/test-database.mjs';
import { download } from './download.ts';
import { createRandom } from './random.ts';

const seconds = Number(process.argv[2] ?? 60);
const seed = Number(process.argv[3] ?? Date.now() % 100_000);
const random = createRandom(seed);
const MB = 1_048_576;
const CUSTOMERS = 4;
const SOCKET_BUFFERS_BYTES = 8 * MB;

const postgres = await startPostgres({ dataDir: '.data/pg-faults' });
// template1 is empty, so the product prepares the database as it does on a first start.
const database = await cloneDatabase(postgres.url, 'template1');
const product = await startProduct({
  databaseUrl: database.url,
  logFile: '.data/faults.log',
  env: { GATEWAY_ALLOW_PRIVATE: 'true', LOG_LEVEL: 'warn' },
});
const ownDatabase = openDatabase(database.url, 2);
const config = loadConfig({
  DATABASE_URL: database.url,
  SECRET_KEY: 'only reads, never decrypts anything here',
  GATEWAY_TOKEN: 'not used by this script',
});
const ctx = createCtx(ownDatabase, config, createLog('faults', 'warn', false));

/** Totals of the run. */
const counts = { kills: 0, gatewayKills: 0, bought: 0, ended: 0, downloads: 0, refused: 0, paid: 0 };
/** Bytes that this side of the wire received or sent, per connection: what may be charged at most. */
const truth = new Map<string, number>();
const deadline = Date.now() + seconds * 1000;
const isRunning = () => Date.now() < deadline;

console.log(`seed ${seed}, ${seconds} s, ${product.url}`);
const call = await signedIn();
await Promise.all([killer(), payer(), ...Array.from({ length: CUSTOMERS }, customer)]);
await untilCredited();

// Everything runs again; what is still open ends now, and every bill is made.
for (const connection of await listOpen()) await patiently(() => call(disconnect, { params: { id: connection.id } }));
const broken = [...(await audit(ctx)), ...(await overcharged()), ...(await deadlocks())];
await product.stop();
await ownDatabase.close();
await database.drop();
await postgres.stop();

console.log(JSON.stringify(counts));
for (const sentence of broken) console.error(sentence);
console.log(`${counts.kills} kills, ${broken.length} violations`);
process.exit(broken.length === 0 && counts.kills > 0 && counts.downloads > 0 && counts.paid > 0 ? 0 : 1);

async function killer(): Promise<void> {
  while (isRunning()) {
    await pause(300 + random.below(1500));
    const part = random.pick(['gateway', 'api', 'worker'] as const);
    await product.kill(part);
    counts.kills += 1;
    if (part === 'gateway') counts.gatewayKills += 1;
    await pause(random.below(400));
    await product.restart(part);
  }
}

/** Buys, downloads in several tunnels, ends some connections, and repeats whatever got no answer. */
async function customer(): Promise<void> {
  while (isRunning()) {
    const connection = await buy();
    if (!connection) continue;
    const rounds = 1 + random.below(4);
    for (let round = 0; round < rounds && isRunning(); round++) {
      const sizes = Array.from({ length: 1 + random.below(3) }, () => 1 + random.below(12));
      await Promise.all(sizes.map((megabytes) => transfer(connection, megabytes)));
    }
    if (random.below(3) > 0) {
      const answer = await patiently(() => call(disconnect, { params: { id: connection.id } }));
      if (answer) counts.ended += 1;
    }
  }
}

/** Tops up all the time, so that crediting is killed in the middle too. */
async function payer(): Promise<void> {
  while (isRunning()) {
    const body = { currency: 'USDT_TRC20', amount: 5 + random.below(10) } as const;
    const invoice = await patiently(() => call(createInvoice, { body }));
    if (!invoice) continue;
    // A repeat pays what is still due, which is nothing once the first try has arrived.
    await patiently(() => call(payInvoice, { params: { id: invoice.data.id }, body: {} }));
    counts.paid += 1;
    await pause(500);
  }
}

/** Every payment reaches the balance; how often it was credited is the audit's business. */
async function untilCredited(): Promise<void> {
  for (;;) {
    const { data } = (await patiently(() => call(listInvoices, { query: { size: 100 } })))!;
    if (data.every(({ status }) => status !== 'CONFIRMING')) return;
    await pause(200);
  }
}

async function buy(): Promise<Connection | undefined> {
  const proxies = await patiently(() => call(searchProxies, { query: {} }));
  if (!proxies || proxies.data.length === 0) return undefined;
  const proxy = random.pick(proxies.data);
  // One key for all tries: a purchase whose answer was lost is not made twice.
  const headers = { 'idempotency-key': randomUUID() };
  const answer = await patiently(() => call(connect, { body: { id: proxy.id, price: proxy.price } }, { headers }));
  if (answer) counts.bought += 1;
  return answer?.data;
}

async function transfer(connection: Connection, megabytes: number): Promise<void> {
  const { host, username, password } = connection;
  const target = `${product.url}/dev/download/${megabytes}`;
  const bytes = await download({ host, port: product.gatewayPort, username, password, target });
  truth.set(connection.id, (truth.get(connection.id) ?? 0) + bytes.sent + bytes.received);
  counts.downloads += 1;
}

/** Connections that were charged for more than passed. */
async function overcharged(): Promise<string[]> {
  const rows = await ownDatabase.query<{ id: string; usedBytes: bigint }>(
    'select id, used_bytes as "usedBytes" from connections',
  );
  // A gateway counts before it writes; when it is killed, what lies in its sockets' buffers never reaches the customer.
  const slackBytes = SOCKET_BUFFERS_BYTES * counts.gatewayKills;
  const charged = rows.reduce((sum, row) => sum + Number(row.usedBytes), 0);
  const passed = [...truth.values()].reduce((sum, bytes) => sum + bytes, 0);
  console.log(`${(passed / MB).toFixed(1)} MB passed, ${(charged / MB).toFixed(1)} MB counted`);
  return rows
    .filter(({ id, usedBytes }) => Number(usedBytes) > (truth.get(id) ?? 0) + slackBytes)
    .map(({ id, usedBytes }) => `connection ${id} counts ${usedBytes} bytes, the customer saw ${truth.get(id) ?? 0}`);
}

/** Everybody locks in one order, so there is none to break. */
async function deadlocks(): Promise<string[]> {
  const [row] = await ownDatabase.query<{ deadlocks: bigint }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return row!.deadlocks === 0n ? [] : [`${row!.deadlocks} deadlocks`];
}

/** Repeats while the answer is lost or the API is away; an answer with a reason ends it. */
async function patiently<T>(work: () => Promise<T>): Promise<T | undefined> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
      if (status >= 400 && status < 500) {
        counts.refused += 1;
        await pause(100);
        return undefined;
      }
      await pause(100);
    }
  }
}

async function listOpen(): Promise<Connection[]> {
  const { data } = await call(listConnections, { query: { size: 100 } });
  return data.filter((connection) => connection.status === 'WORK');
}

async function signedIn(): Promise<Call> {
  const anybody = createClient({ baseUrl: product.url });
  const { data } = await anybody(signIn, { body: { email: 'user@example.com', password: 'demo-password' } });
  return createClient({
    baseUrl: product.url,
    headers: () => ({ authorization: `Bearer ${data.accessToken}` }),
    timeoutMs: 15_000,
  });
}

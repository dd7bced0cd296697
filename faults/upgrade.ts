/**
 * Tests whether the newest release works during and after the migrations of this checkout: its API, worker and gateway serve
 * customers while the database is migrated, and import proxies afterwards; finally the worker of this checkout replaces the old one.
 *
 * Usage: npm run test:upgrade [-- commit=<a commit to test instead of the release>]
 */
import { signIn } from '@cellhop/contract/auth';
import { createClient } from '@cellhop/contract/client';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { checkInvariants } from '../api/src/db/check-invariants.ts';
import { loadConfig } from '../api/src/process/config.ts';
import { createCtx } from '../api/src/ctx.ts';
import { openDatabase } from '../api/src/db/db.ts';
import { createLog } from '../api/src/process/log.ts';
import { migrate } from '../api/src/db/migrate.ts';
import { buildChanged } from '../tools/build.mjs';
import { startPostgres } from '../tools/pg.mjs';
import { reportFailure, Problem } from '../tools/problem.mjs';
import { startProduct } from '../tools/product.mjs';
import { checkOutRelease, installRelease, readReleases } from '../tools/releases.mjs';
import { cloneDatabase } from '../tools/test-database.mjs';
import { createRandom } from '../tools/random.ts';
import { fillSoldAddresses } from '../api/src/modules/billing/sold-addresses.service.ts';
import { fillExits } from '../api/src/modules/gateway/exit-resealing.service.ts';
import { EndpointMonitor } from './endpoint-monitor.ts';
import type { Customers, CustomersOptions } from './customers.ts';
import { findIncomplete, isApplied, orderImport } from './release-imports.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const LOG_FILE = path.join(root, '.data/upgrade.log');
const CUSTOMERS = 3;
const WAIT_LIMIT_MS = 120_000;
const REQUEST_LIMIT_MS = 15_000;
const ADMINISTRATOR = { email: 'admin@example.com', password: 'demo-password' };

const cleanUps: (() => unknown)[] = [];
let exitCode = 1;
try {
  const release = chooseRelease(process.argv.slice(2));
  if (release) exitCode = await testUpgrade(release);
  else {
    console.log('releases.json lists no release yet: there is nothing to upgrade from.');
    exitCode = 0;
  }
} catch (error) {
  exitCode = reportFailure(error);
} finally {
  for (const step of cleanUps.toReversed()) await step();
}
process.exit(exitCode);

function chooseRelease([argument, ...others]: readonly string[]): { version: string; commit: string } | undefined {
  if (argument === undefined) return readReleases(root).at(-1);
  const commit = /^commit=([0-9a-f]{40})$/.exec(argument)?.[1];
  if (commit === undefined || others.length > 0)
    throw new Problem(`"${argument}" is unknown: npm run test:upgrade [-- commit=<40 hexadecimal digits>]`);
  return { version: 'under test', commit };
}

async function testUpgrade({ version, commit }: { version: string; commit: string }): Promise<number> {
  console.log(`release ${version}, commit ${commit}`);
  const { directory, remove } = checkOutRelease(root, { version, commit });
  cleanUps.push(remove);
  installRelease(root, directory);
  buildChanged(directory, ['gateway', 'api']);
  buildChanged(root, ['api']);

  const server = await startPostgres({ dataDir: path.join(root, '.data/pg-upgrade'), durable: false });
  cleanUps.push(() => server.stop());
  const database = await cloneDatabase(server.url, 'template1');
  cleanUps.push(() => database.drop());
  const secrets = { SECRET_KEY: randomBytes(32).toString('hex'), GATEWAY_TOKEN: randomBytes(32).toString('hex') };
  fs.rmSync(LOG_FILE, { force: true });
  const old = await startRelease(directory, database.url, secrets);
  const violations = await serveWhileMigrating(old, database.url, secrets);
  violations.push(...findErrors());
  for (const violation of violations) console.error(violation);
  console.log(`${violations.length} violations`);
  return violations.length === 0 ? 0 : 1;
}

interface Release {
  product: Awaited<ReturnType<typeof startProduct>>;
  createCustomers: (options: CustomersOptions) => Customers;
}

/** Uses the release's own tools and customers, which match its settings and responses. */
async function startRelease(directory: string, databaseUrl: string, secrets: Record<string, string>): Promise<Release> {
  const load = (file: string) => import(pathToFileURL(path.join(directory, file)).href);
  const tools = (await load('tools/product.mjs')) as { startProduct: typeof startProduct };
  const release = (await load('faults/customers.ts')) as { Customers: new (options: CustomersOptions) => Customers };
  const product = await tools.startProduct({
    databaseUrl,
    logFile: LOG_FILE,
    env: { ...secrets, GATEWAY_ALLOW_PRIVATE: 'true', LOG_LEVEL: 'error' },
  });
  cleanUps.push(() => product.stop());
  return { product, createCustomers: (options) => new release.Customers(options) };
}

/** @returns violations */
async function serveWhileMigrating(
  { product, createCustomers }: Release,
  databaseUrl: string,
  secrets: Record<string, string>,
): Promise<string[]> {
  const violations: string[] = [];
  const closing = new AbortController();
  const isOpen = () => !closing.signal.aborted;
  void product.failure.then(({ part, code }) =>
    violations.push(`the old ${part} exited unexpectedly with code ${code}`),
  );
  const customers = createCustomers({
    urls: [product.url],
    requestLimitMs: REQUEST_LIMIT_MS,
    gatewayPorts: [[product.gatewayPort]],
    gatewayKills: () => 0,
    random: createRandom(1),
    isOpen,
  });
  await customers.signIn();
  const { data } = await createClient({ baseUrl: product.url })(signIn, { body: ADMINISTRATOR });
  const monitor = new EndpointMonitor(product.url, data.accessToken);
  console.log(`${await monitor.start()} endpoints are monitored`);
  const work = [
    monitor.run(isOpen),
    customers.runTopUps(),
    ...Array.from({ length: CUSTOMERS }, () => customers.runCustomer()),
  ];
  const serveCustomers = async (when: string) => {
    const before = { ...customers.counts, rounds: monitor.rounds };
    await until(`customers are served ${when}`, () => {
      const { bought, downloads, paid } = customers.counts;
      const isServed = bought > before.bought + 2 && downloads > before.downloads + 5 && paid > before.paid + 1;
      return isServed && monitor.rounds > before.rounds + 2;
    });
  };
  await serveCustomers('before the migration');
  const applied = await migrate(databaseUrl);
  console.log(applied.length > 0 ? `migrated: ${applied.join(', ')}` : 'there was nothing to migrate');
  const migratedAt = new Date();
  const call = createClient({
    baseUrl: product.url,
    headers: () => ({ authorization: `Bearer ${data.accessToken}` }),
    timeoutMs: REQUEST_LIMIT_MS,
  });
  const ordered = await orderImport(call, '198.51.100');
  await until('an import is applied by the old worker', () => isApplied(call, ordered));
  await serveCustomers('by the old processes on the new schema');
  await product.kill('worker');
  const checkedByOld = await orderImport(call, '203.0.113');
  await startNewWorker(databaseUrl, secrets, product);
  await until('an import of the old API is applied by the new worker', () => isApplied(call, checkedByOld));
  await serveCustomers('by the new worker and the old API and gateway');
  closing.abort();
  await Promise.all(work);
  violations.push(
    ...monitor.violations,
    ...(await customers.close()),
    ...customers.violations,
    ...(await checkDatabase(customers, databaseUrl, secrets, migratedAt)),
  );
  return violations;
}

async function startNewWorker(
  databaseUrl: string,
  secrets: Record<string, string>,
  { mailSinkPort }: Release['product'],
): Promise<void> {
  const env = { ...secrets, MAIL_SINK_PORT: String(mailSinkPort), LOG_LEVEL: 'error' };
  const worker = await startProduct({ databaseUrl, logFile: LOG_FILE, parts: ['worker'], env });
  cleanUps.push(() => worker.stop());
}

async function checkDatabase(
  customers: Customers,
  databaseUrl: string,
  secrets: Record<string, string>,
  migratedAt: Date,
): Promise<string[]> {
  const database = openDatabase(databaseUrl, 2);
  cleanUps.push(() => database.close());
  const config = loadConfig({ DATABASE_URL: databaseUrl, ...secrets });
  const ctx = createCtx(database, config, createLog('upgrade', 'fatal', false));
  const violations = [...(await checkInvariants(ctx)), ...(await findIncomplete(database, migratedAt))];
  await fillExits(ctx);
  await fillSoldAddresses(ctx);
  violations.push(...(await findIncomplete(database, new Date(0))));
  const moneyOut = await customers.moneyOutMicros();
  const { bought, ended, downloads, paid } = customers.counts;
  console.log(`${bought} bought, ${ended} ended, ${downloads} downloads, ${paid} payments`);
  if (moneyOut !== customers.moneyInMicros)
    violations.push(`$${customers.moneyInMicros / 1e6} were paid in, $${moneyOut / 1e6} are charged or left`);
  return violations;
}

async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  while (!(await isTrue())) {
    if (performance.now() > deadline)
      throw new Problem(`Timeout of ${WAIT_LIMIT_MS / 1000} s: ${what}; see ${LOG_FILE}.`);
    await pause(100);
  }
}

/** Customers retry failed calls, so a failed purchase is only visible in the log. */
function findErrors(): string[] {
  const lines = fs.existsSync(LOG_FILE) ? fs.readFileSync(LOG_FILE, 'utf8').split('\n') : [];
  const errors = lines.filter((line) => /"level":[56]0\b/.test(line));
  return errors.length === 0 ? [] : [`${errors.length} errors in ${LOG_FILE}, the first: ${errors[0]!.slice(0, 500)}`];
}

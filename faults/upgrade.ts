/**
 * Does the newest release bear the migrations of this checkout? Its API, worker and gateway serve customers while the
 * database is migrated under them, and go on; at last the worker of this checkout takes the place of theirs.
 *
 * Usage: npm run test:upgrade [-- commit=<a commit to take for the release>]
 */
import { signIn } from '@cellhop/contract/auth';
import { createClient } from '@cellhop/contract/client';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { checkInvariants } from '../api/src/check-invariants.ts';
import { loadConfig } from '../api/src/config.ts';
import { createCtx } from '../api/src/ctx.ts';
import { openDatabase } from '../api/src/db.ts';
import { createLog } from '../api/src/log.ts';
import { migrate } from '../api/src/migrate.ts';
import { buildChanged } from '../tools/build.mjs';
import { startPostgres } from '../tools/pg.mjs';
import { explain, Problem } from '../tools/problem.mjs';
import { startProduct } from '../tools/product.mjs';
import { checkOutRelease, installRelease } from '../tools/release-checkout.mjs';
import { readReleases } from '../tools/releases.mjs';
import { cloneDatabase } from '../tools/test-database.mjs';
import { createRandom } from '../tools/random.ts';
import { ReadWatch } from './read-watch.ts';
import type { Shop, ShopOptions } from './shop.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const LOG_FILE = path.join(root, '.data/upgrade.log');
const CUSTOMERS = 3;
const PATIENCE_MS = 120_000;
const REQUEST_LIMIT_MS = 15_000;
const ADMINISTRATOR = { email: 'admin@example.com', password: 'demo-password' };

const undo: (() => unknown)[] = [];
let exitCode = 1;
try {
  const release = chooseRelease(process.argv.slice(2));
  if (release) exitCode = await testUpgrade(release);
  else {
    console.log('releases.json lists no release yet: there is nothing to upgrade from.');
    exitCode = 0;
  }
} catch (error) {
  exitCode = explain(error);
} finally {
  for (const step of undo.toReversed()) await step();
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
  undo.push(remove);
  installRelease(root, directory);
  buildChanged(directory, ['gateway', 'api']);
  buildChanged(root, ['api']);

  const server = await startPostgres({ dataDir: path.join(root, '.data/pg-upgrade'), durable: false });
  undo.push(() => server.stop());
  const database = await cloneDatabase(server.url, 'template1');
  undo.push(() => database.drop());
  const secrets = { SECRET_KEY: randomBytes(32).toString('hex'), GATEWAY_TOKEN: randomBytes(32).toString('hex') };
  fs.rmSync(LOG_FILE, { force: true });
  const old = await startRelease(directory, database.url, secrets);
  const complaints = await serveWhileMigrating(old, database.url, secrets);
  complaints.push(...findErrors());
  for (const sentence of complaints) console.error(sentence);
  console.log(`${complaints.length} complaints`);
  return complaints.length === 0 ? 0 : 1;
}

interface Release {
  product: Awaited<ReturnType<typeof startProduct>>;
  createShop: (options: ShopOptions) => Shop;
}

/** With its own tools and its own customers: they know which settings and which answers it has. */
async function startRelease(directory: string, databaseUrl: string, secrets: Record<string, string>): Promise<Release> {
  const load = (file: string) => import(pathToFileURL(path.join(directory, file)).href);
  const tools = (await load('tools/product.mjs')) as { startProduct: typeof startProduct };
  const customers = (await load('faults/shop.ts')) as { Shop: new (options: ShopOptions) => Shop };
  const product = await tools.startProduct({
    databaseUrl,
    logFile: LOG_FILE,
    env: { ...secrets, GATEWAY_ALLOW_PRIVATE: 'true', LOG_LEVEL: 'error' },
  });
  undo.push(() => product.stop());
  return { product, createShop: (options) => new customers.Shop(options) };
}

/** @returns complaints */
async function serveWhileMigrating(
  { product, createShop }: Release,
  databaseUrl: string,
  secrets: Record<string, string>,
): Promise<string[]> {
  const complaints: string[] = [];
  const closing = new AbortController();
  const isOpen = () => !closing.signal.aborted;
  void product.failure.then(({ part, code }) => complaints.push(`the old ${part} ended by itself with code ${code}`));
  const shop = createShop({
    urls: [product.url],
    requestLimitMs: REQUEST_LIMIT_MS,
    gatewayPorts: [product.gatewayPort],
    gatewayKills: () => 0,
    random: createRandom(1),
    isOpen,
  });
  await shop.signIn();
  const { data } = await createClient({ baseUrl: product.url })(signIn, { body: ADMINISTRATOR });
  const reads = new ReadWatch(product.url, data.accessToken);
  console.log(`${await reads.begin()} addresses are watched`);
  const work = [reads.watch(isOpen), shop.payOn(), ...Array.from({ length: CUSTOMERS }, () => shop.shopOn())];
  const shopSome = async (when: string) => {
    const before = { ...shop.counts, rounds: reads.rounds };
    await until(`customers are served ${when}`, () => {
      const { bought, downloads, paid } = shop.counts;
      const isServed = bought > before.bought + 2 && downloads > before.downloads + 5 && paid > before.paid + 1;
      return isServed && reads.rounds > before.rounds + 2;
    });
  };
  await shopSome('before the migration');
  const applied = await migrate(databaseUrl);
  console.log(applied.length > 0 ? `migrated: ${applied.join(', ')}` : 'there was nothing to migrate');
  await shopSome('by the old processes on the new schema');
  await product.kill('worker');
  await startNewWorker(databaseUrl, secrets, product);
  await shopSome('by the new worker and the old API and gateway');
  closing.abort();
  await Promise.all(work);
  complaints.push(
    ...reads.complaints,
    ...(await shop.close()),
    ...shop.complaints,
    ...(await judgeMoney(shop, databaseUrl, secrets)),
  );
  return complaints;
}

async function startNewWorker(
  databaseUrl: string,
  secrets: Record<string, string>,
  { mailSinkPort }: Release['product'],
): Promise<void> {
  const env = { ...secrets, MAIL_SINK_PORT: String(mailSinkPort), LOG_LEVEL: 'error' };
  const worker = await startProduct({ databaseUrl, logFile: LOG_FILE, parts: ['worker'], env });
  undo.push(() => worker.stop());
}

async function judgeMoney(shop: Shop, databaseUrl: string, secrets: Record<string, string>): Promise<string[]> {
  const database = openDatabase(databaseUrl, 2);
  undo.push(() => database.close());
  const config = loadConfig({ DATABASE_URL: databaseUrl, ...secrets });
  const found = await checkInvariants(createCtx(database, config, createLog('upgrade', 'fatal', false)));
  const moneyOut = await shop.moneyOutMicros();
  const { bought, ended, downloads, paid } = shop.counts;
  console.log(`${bought} bought, ${ended} ended, ${downloads} downloads, ${paid} payments`);
  if (moneyOut !== shop.moneyInMicros)
    found.push(`$${shop.moneyInMicros / 1e6} were paid in, $${moneyOut / 1e6} are charged or left`);
  return found;
}

async function until(what: string, isTrue: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!isTrue()) {
    if (performance.now() > deadline)
      throw new Problem(`It took longer than ${PATIENCE_MS / 1000} s until ${what}; see ${LOG_FILE}.`);
    await pause(100);
  }
}

/** Customers repeat what failed, so a failed purchase shows only in the log. */
function findErrors(): string[] {
  const lines = fs.existsSync(LOG_FILE) ? fs.readFileSync(LOG_FILE, 'utf8').split('\n') : [];
  const errors = lines.filter((line) => /"level":[56]0\b/.test(line));
  return errors.length === 0 ? [] : [`${errors.length} errors in ${LOG_FILE}, the first: ${errors[0]!.slice(0, 500)}`];
}

/**
 * Tests whether the newest release works during and after the migrations of this checkout: its API, worker and gateway serve
 * customers while the database is migrated, and import proxies afterwards; then this checkout replaces them, the release replaces it
 * again (the step back), and this checkout comes back. With `from`, the database goes through all releases since that one.
 *
 * Usage: npm run test:upgrade [-- commit=<a commit to test instead of the release> | from=<a version of releases.json>]
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkInvariants } from '../api/src/db/check-invariants.ts';
import { loadConfig } from '../api/src/process/config.ts';
import { createCtx } from '../api/src/ctx.ts';
import { openDatabase } from '../api/src/db/db.ts';
import { createLog } from '../api/src/process/log.ts';
import { migrate } from '../api/src/db/migrate.ts';
import { startMailSink } from '../api/src/dev/mail-sink.ts';
import { startPostgres } from '../tools/pg.mjs';
import { reportFailure, Problem } from '../tools/problem.mjs';
import { readReleases } from '../tools/releases.mjs';
import { cloneDatabase } from '../tools/test-database.mjs';
import { findIncomplete, isApplied, orderImport } from './release-imports.ts';
import {
  buildRelease,
  buildThisCheckout,
  choosePlace,
  type Place,
  type Release,
  type ReleasePrograms,
} from './release-programs.ts';
import { Shop, until } from './release-shop.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const LOG_FILE = path.join(root, '.data/upgrade.log');

const cleanUps: (() => unknown)[] = [];
let exitCode = 1;
try {
  exitCode = await testUpgrade(process.argv.slice(2));
} catch (error) {
  exitCode = reportFailure(error);
} finally {
  for (const step of cleanUps.toReversed()) await step();
}
process.exit(exitCode);

/** @returns the releases to upgrade from, the oldest first */
function chooseReleases([argument, ...others]: readonly string[]): Release[] {
  const releases = readReleases(root);
  if (argument === undefined) return releases.slice(-1);
  const [, name, value] = /^(commit|from)=(.+)$/.exec(argument) ?? [];
  if (others.length === 0 && name === 'commit' && /^[0-9a-f]{40}$/.test(value!))
    return [{ version: 'under test', commit: value! }];
  const first = releases.findIndex(({ version }) => version === value);
  if (others.length === 0 && name === 'from' && first >= 0) return releases.slice(first);
  throw new Problem(
    `"${argument}" is unknown: npm run test:upgrade [-- commit=<40 hexadecimal digits> | from=<a version of releases.json>]`,
  );
}

async function testUpgrade(values: readonly string[]): Promise<number> {
  const server = await startPostgres({ dataDir: path.join(root, '.data/pg-upgrade'), durable: false });
  cleanUps.push(() => server.stop());
  const database = await cloneDatabase(server.url, 'template1');
  cleanUps.push(() => database.drop());
  fs.rmSync(LOG_FILE, { force: true });
  const mailSink = await startMailSink(0, createLog('upgrade', 'fatal', false));
  cleanUps.push(() => mailSink!.stop());
  const place = await choosePlace(database.url, LOG_FILE, mailSink!.port);
  const violations: string[] = [];
  const releases = chooseReleases(values);
  for (const release of releases) {
    console.log(`release ${release.version}, commit ${release.commit}`);
    const old = await buildRelease(release, (remove) => cleanUps.push(remove));
    const isLast = release === releases.at(-1);
    violations.push(
      ...(isLast ? await upgradeAndStepBack(old, await buildThisCheckout(), place) : await serveAlone(old, place)),
    );
  }
  violations.push(...findErrors());
  for (const violation of violations) console.error(violation);
  console.log(`${violations.length} violations`);
  return violations.length === 0 ? 0 : 1;
}

/** @returns violations of an older release, which is on the way to this one */
async function serveAlone(release: ReleasePrograms, place: Place): Promise<string[]> {
  const shop = new Shop(place, (stop) => cleanUps.push(stop));
  await shop.start(release);
  const open = await shop.open(release);
  await shop.serve('alone');
  const violations = await open.close();
  await shop.stop();
  return [...violations, ...shop.violations];
}

/** @returns violations */
async function upgradeAndStepBack(old: ReleasePrograms, own: ReleasePrograms, place: Place): Promise<string[]> {
  const shop = new Shop(place, (stop) => cleanUps.push(stop));
  await shop.start(old);
  const open = await shop.open(old);
  await shop.monitored(async (call) => {
    await shop.serve('before the migration');
    const applied = await migrate(place.databaseUrl);
    console.log(applied.length > 0 ? `migrated: ${applied.join(', ')}` : 'there was nothing to migrate');
    const ordered = await orderImport(call, '198.51.100');
    await until('an import is applied by the old worker', () => isApplied(call, ordered));
    await shop.serve('by the old processes on the new schema');
    await shop.killWorker();
    const checkedByOld = await orderImport(call, '203.0.113');
    await shop.start(own, ['worker']);
    await until('an import of the old API is applied by the new worker', () => isApplied(call, checkedByOld));
    await shop.serve('by the new worker and the old API and gateway');
  });
  for (const [release, when] of [
    [own, 'by this checkout'],
    [old, 'after the step back'],
    [own, 'by this checkout again'],
  ] as const) {
    await shop.stop();
    await shop.start(release);
    await shop.monitored(() => shop.serve(when));
  }
  const violations = [...(await open.close()), ...shop.violations];
  return [...violations, ...(await checkDatabase(place))];
}

async function checkDatabase({ databaseUrl, env: { SECRET_KEY, GATEWAY_TOKEN } }: Place): Promise<string[]> {
  const database = openDatabase(databaseUrl, 2);
  cleanUps.push(() => database.close());
  const config = loadConfig({ DATABASE_URL: databaseUrl, SECRET_KEY, GATEWAY_TOKEN });
  const ctx = createCtx(database, config, createLog('upgrade', 'fatal', false));
  return [...(await checkInvariants(ctx)), ...(await findIncomplete(database))];
}

/** Customers retry failed calls, so a failed purchase is only visible in the log. */
function findErrors(): string[] {
  const lines = fs.existsSync(LOG_FILE) ? fs.readFileSync(LOG_FILE, 'utf8').split('\n') : [];
  const errors = lines.filter((line) => /"level":[56]0\b/.test(line));
  return errors.length === 0 ? [] : [`${errors.length} errors in ${LOG_FILE}, the first: ${errors[0]!.slice(0, 500)}`];
}

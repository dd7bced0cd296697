/** Backups with the real programs of PostgreSQL and age, on a server of their own. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../tools/ports.mjs';
import { makeBackup } from '../../src/backup/backup.ts';
import { restoreBackup, verifyBackup } from '../../src/backup/restore.ts';
import { countRows } from '../../src/backup/database-facts.ts';
import { backup as backupCommand } from '../../src/commands/backup.ts';
import { createCtx, type Ctx } from '../../src/ctx.ts';
import { checkInvariants } from '../../src/db/check-invariants.ts';
import { type Database, openDatabase } from '../../src/db/db.ts';
import { migrate } from '../../src/db/migrate.ts';
import { registerNode } from '../../src/modules/gateway/gateway.service.ts';
import { recordStart } from '../../src/modules/installation/installation.service.ts';
import { loadConfig } from '../../src/process/config.ts';
import { createLog } from '../../src/process/log.ts';
import { seed } from '../../src/seed/seed.ts';

const initdb = process.env['POSTGRES_INITDB']!;
const programs = path.dirname(initdb);
const age = process.env['AGE']!;
const opened: Database[] = [];

/** PostgreSQL does not run as root. */
const NOBODY = 65_534;
const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
let folder: string;
let data: string;
let url: (name: string) => string;
let shop: Ctx;

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cellhop-backup-'));
  data = path.join(folder, 'data');
  fs.mkdirSync(data);
  if ('uid' in owner) {
    fs.chmodSync(folder, 0o755);
    fs.chownSync(data, NOBODY, NOBODY);
  }
  execFileSync(initdb, ['-D', data, '-U', 'shop', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    ...owner,
    stdio: 'pipe',
  });
  const port = await freePort();
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
  control('start', '-l', path.join(data, 'log'), '-o', options);
  url = (name) => `postgres://shop@127.0.0.1:${port}/${name}`;
  await create('shop');
  await migrate(url('shop'));
  shop = open('shop');
  await begin(shop);
}, 120_000);
afterAll(async () => {
  for (const database of opened) await database.close();
  control('stop', '-m', 'fast');
  fs.rmSync(folder, { recursive: true });
});
afterEach(() => {
  shop.config.backup.recipient = undefined;
});

/** The demo has rows in most tables. */
async function begin(ctx: Ctx): Promise<void> {
  await recordStart(ctx);
  await registerNode(ctx);
  await seed(ctx);
}

function control(order: string, ...options: string[]): void {
  execFileSync(path.join(programs, 'pg_ctl'), [order, '-w', '-D', data, ...options], { ...owner, stdio: 'ignore' });
}

async function create(name: string): Promise<void> {
  const database = openDatabase(url('postgres'), 1);
  // The name is one of this file.
  await database.query(`create database ${name}`);
  await database.close();
}

function open(name: string): Ctx {
  const config = loadConfig({
    NODE_ENV: 'test',
    DATABASE_URL: url(name),
    SECRET_KEY: 'a secret key for tests of at least 32 characters',
    GATEWAY_TOKEN: 'a token of a gateway for tests',
    BACKUP_FOLDER: path.join(folder, 'backups'),
    POSTGRES_PROGRAMS: programs,
  });
  const database = openDatabase(config.databaseUrl, 4);
  opened.push(database);
  return createCtx(database, config, createLog('test', 'silent', false));
}

const scratchCount = async () =>
  (await shop.db.query("select from pg_database where datname like 'cellhop_verify_%'")).length;

test('a backup fills an empty database with every row, and the money adds up', async () => {
  const file = await makeBackup(shop);
  await create('restored');
  const restored = open('restored');
  await restoreBackup(restored, { file, identity: undefined });
  expect(await countRows(restored)).toEqual(await countRows(shop));
  expect(await checkInvariants(restored)).toEqual([]);
  await expect(restoreBackup(restored, { file, identity: undefined })).rejects.toThrow('The database is not empty');
  // It has the schema of this release.
  expect(await migrate(url('restored'))).toEqual([]);
});

test('--verify restores it into a scratch database, and deletes that again', async () => {
  const text = await backupCommand.parse(['--verify']).run(shop, undefined as never);
  expect(text).toContain('all rows are there, and the money adds up');
  expect(await scratchCount()).toBe(0);
});

test('--verify finds books that do not add up', async () => {
  await create('broken');
  await migrate(url('broken'));
  const broken = open('broken');
  await begin(broken);
  await broken.db.query(
    'update accounts set balance_micros = balance_micros + 1 where id = (select max(id) from accounts)',
  );
  const file = await makeBackup(broken);
  expect((await verifyBackup(broken, { file, identity: undefined })).length).toBeGreaterThan(0);
  expect(await scratchCount()).toBe(0);
});

test('rows that come while the dump is made are in neither the dump nor the manifest', async () => {
  const wrapped = path.join(folder, 'wrapped');
  fs.mkdirSync(wrapped);
  const insert = `"${programs}/psql" -qc "insert into roles (name, permissions) values ('LATE', '{}')"`;
  fs.writeFileSync(path.join(wrapped, 'pg_dump'), `#!/bin/sh\n${insert} && exec "${programs}/pg_dump" "$@"\n`, {
    mode: 0o755,
  });
  shop.config.backup.programs = wrapped;
  const file = await makeBackup(shop);
  shop.config.backup.programs = programs;
  expect(await shop.db.query(`select from roles where name = 'LATE'`)).toHaveLength(1);
  expect(await verifyBackup(shop, { file, identity: undefined })).toEqual([]);
});

test('with a recipient only the holder of the key restores it', async () => {
  const [key, other] = ['key.txt', 'other.txt'].map((name) => path.join(folder, name));
  for (const each of [key!, other!]) execFileSync(`${age}-keygen`, ['-o', each], { stdio: 'pipe' });
  shop.config.backup.recipient = /public key: (\S+)/.exec(fs.readFileSync(key!, 'utf8'))![1]!;
  const file = await makeBackup(shop);
  const dump = fs.readFileSync(file.replace(/json$/, 'dump.age'));
  expect(dump.subarray(0, 21).toString()).toBe('age-encryption.org/v1');
  expect(dump.includes('PGDMP')).toBe(false);
  await create('sealed');
  const sealed = open('sealed');
  await expect(restoreBackup(sealed, { file, identity: undefined })).rejects.toThrow('--identity FILE');
  await expect(restoreBackup(sealed, { file, identity: other })).rejects.toThrow(/age failed .*no identity matched/);
  expect(await sealed.db.query("select from pg_tables where schemaname = 'public'")).toEqual([]);
  await restoreBackup(sealed, { file, identity: key });
  expect(await countRows(sealed)).toEqual(await countRows(shop));
});

test('a dump that ends too early fills nothing', async () => {
  const file = await makeBackup(shop);
  const dump = file.replace(/json$/, 'dump');
  fs.truncateSync(dump, fs.statSync(dump).size - 1000);
  await create('half');
  const half = open('half');
  await expect(restoreBackup(half, { file, identity: undefined })).rejects.toThrow('a byte of it has changed');
  expect(await half.db.query("select from pg_tables where schemaname = 'public'")).toEqual([]);
});

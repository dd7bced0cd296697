import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createUser } from '../../test/factories.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { temporaryDirectory } from '../../../tools/temporary-directory.ts';
import { backup as backupCommand } from '../commands/backup.ts';
import { restore as restoreCommand } from '../commands/restore.ts';
import { releases } from '../db/releases.ts';
import { makeBackup, rotate } from './backup.ts';
import { readManifest, writeManifest } from './manifest.ts';
import { connectionVariables } from './programs.ts';
import { restoreBackup } from './restore.ts';

let testApp: TestApp;
let folder: string;
let programs: string;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  vi.useRealTimers();
  await testApp.reset();
  folder = path.join(temporaryDirectory(), 'backups');
  programs = temporaryDirectory();
  testApp.ctx.config.backup = { folder, ageMaxMs: 1, keptCount: 2, recipient: undefined, programs };
  // The database of these tests has no such program.
  program('pg_dump', 'echo "the dump of $PGDATABASE with $*"');
  program('pg_restore', 'cat > /dev/null');
});

function program(name: string, script: string) {
  fs.writeFileSync(path.join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}
const make = () => makeBackup(testApp.ctx);
const files = () => (fs.existsSync(folder) ? fs.readdirSync(folder).toSorted() : []);
const restoring = (file: string) => restoreBackup(testApp.ctx, { file, identity: undefined });
const dumpFile = (manifest: string) => manifest.replace(/json$/, 'dump');

describe('a backup', () => {
  test('is a dump of one moment and a manifest with schema, release, rows and keys, for its owner alone', async () => {
    await createUser(testApp);
    const file = await make();
    const manifest = await readManifest(testApp.ctx.config.secretKeys, file);
    expect(manifest).toMatchObject({ format: 1, release: releases.own, dump: { isEncrypted: false } });
    expect(manifest.migrations).toContain('0001_baseline.sql');
    const [{ count }] = (await testApp.database.query('select count(*)::int as count from users')) as [
      { count: number },
    ];
    expect(manifest.counts).toMatchObject({ users: count, invoices: 0 });
    expect(manifest.keys.secret).toMatch(/^[\da-f]{64}$/);
    expect(files()).toEqual([path.basename(dumpFile(file)), path.basename(file)]);
    const dump = fs.readFileSync(dumpFile(file), 'utf8');
    expect(dump).toMatch(/^the dump of \w+ with --format=custom .*--snapshot=[\dA-F-]+\n$/);
    expect(fs.readFileSync(file, 'utf8')).not.toContain(testApp.ctx.config.secretKeys[0]);
    for (const each of [file, dumpFile(file)]) expect(fs.statSync(each).mode & 0o077).toBe(0);
  });

  test.each([
    [
      'pg_dump fails',
      () => program('pg_dump', 'echo half; echo "server version mismatch" >&2; exit 1'),
      'server version mismatch',
    ],
    ['pg_dump is ended', () => program('pg_dump', 'echo half; kill -9 $$'), 'SIGKILL'],
    ['pg_dump is missing', () => fs.rmSync(path.join(programs, 'pg_dump')), 'or set POSTGRES_PROGRAMS to their folder'],
  ])('leaves no file if %s', async (_, prepare, sentence) => {
    prepare();
    await expect(make()).rejects.toThrow(sentence);
    expect(files()).toEqual([]);
  });

  test.each(['dump', 'json'])('leaves no file if the disk is full while its %s is written', async (kind) => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-28T12:00:00Z') });
    program('pg_dump', 'yes | head -c 1000000');
    fs.mkdirSync(folder);
    fs.symlinkSync('/dev/full', path.join(folder, `cellhop-20261128T120000Z.${kind}.part`));
    await expect(make()).rejects.toThrow('ENOSPC');
    expect(files()).toEqual([]);
  });

  test('needs a folder', async () => {
    testApp.ctx.config.backup.folder = undefined;
    await expect(make()).rejects.toThrow('BACKUP_FOLDER is not set');
  });

  test('gives no secret to the arguments of a program', () => {
    expect(connectionVariables('postgres://shop:a%2Fb@db.example.com:6000/cell?sslmode=require')).toEqual({
      PGHOST: 'db.example.com',
      PGPORT: '6000',
      PGUSER: 'shop',
      PGPASSWORD: 'a/b',
      PGDATABASE: 'cell',
      PGSSLMODE: 'require',
    });
    expect(connectionVariables('postgres:///cell?host=/run/postgresql')).toEqual({
      PGHOST: '/run/postgresql',
      PGDATABASE: 'cell',
    });
  });
});

test('the command keeps the newest backups, and deletes what failed ones have left', async () => {
  fs.mkdirSync(folder);
  const names = ['20261101', '20261102', '20261103'].flatMap((day) => [
    `cellhop-${day}T000000Z.dump`,
    `cellhop-${day}T000000Z.json`,
  ]);
  const leftovers = ['cellhop-20261102T120000Z.dump.age', 'cellhop-20261102T130000Z.dump.part'];
  const others = ['notes.txt', 'cellhop-20991231T000000Z.dump.part'];
  for (const name of [...names, ...leftovers, ...others]) fs.writeFileSync(path.join(folder, name), '');
  const text = await backupCommand.parse([]).run(testApp.ctx, undefined as never);
  expect(text).toContain('2 older ones were deleted.');
  expect(files()).toEqual(
    [
      ...files().filter((name) => name.startsWith('cellhop-2026') && !names.includes(name)),
      ...names.slice(4),
      ...others,
    ].toSorted(),
  );
  expect(files()).toHaveLength(6);
  expect(await rotate(folder, 1)).toBe(1);
});

describe('a restore', () => {
  test.each([
    ['a changed byte', (file: string) => flip(dumpFile(file)), 'a byte of it has changed'],
    ['a dump that was cut', (file: string) => fs.truncateSync(dumpFile(file), 5), 'a byte of it has changed'],
    ['a dump that is missing', (file: string) => fs.rmSync(dumpFile(file)), 'cannot be read'],
    ['a manifest that was cut', (file: string) => fs.truncateSync(file, 50), 'is damaged'],
    [
      'a manifest that was changed',
      (file: string) => replace(file, '"users":', '"users":1'),
      'was changed after it had been written',
    ],
    ['no file', (file: string) => fs.rmSync(file), 'cannot be read'],
    ['the dump instead of the manifest', (file: string) => fs.copyFileSync(dumpFile(file), file), 'is no manifest'],
  ])('of %s is refused', async (_, spoil, sentence) => {
    const file = await make();
    spoil(file);
    await expect(restoring(file)).rejects.toThrow(sentence);
  });

  test('with other keys, of another installation, is refused', async () => {
    const file = await make();
    testApp.ctx.config.secretKeys = ['the key of another installation, long enough'];
    await expect(restoring(file)).rejects.toThrow('made with another SECRET_KEY');
  });

  test('with another wallet is refused, and with any wallet that its installation ever had it is not', async () => {
    const { payments } = testApp.ctx.config;
    const account = (name: string) => ({ fingerprint: name }) as NonNullable<typeof payments.accounts.evm>;
    const wallets = [`('evm', 'leaked', 9)`, `('evm', 'own', 2)`, `('bitcoin', 'cold', 5)`];
    await testApp.database.query(
      `insert into wallet_accounts (address_space, fingerprint, next_index) values ${wallets.join(', ')}`,
    );
    const file = await make();
    const isEmptyNext = 'The database is not empty';
    payments.accounts = { evm: account('of another shop') };
    await expect(restoring(file)).rejects.toThrow('with another wallet account of evm: set its account key');
    for (const name of ['own', 'leaked']) {
      payments.accounts = { evm: account(name), tron: account('new') };
      await expect(restoring(file)).rejects.toThrow(isEmptyNext);
    }
    payments.accounts = {};
    await expect(restoring(file)).rejects.toThrow(isEmptyNext);
  });

  test('of a newer release is refused', async () => {
    const file = await make();
    const { secretKeys } = testApp.ctx.config;
    const manifest = await readManifest(secretKeys, file);
    const migrations = [...manifest.migrations, '9999_newer.sql'];
    fs.writeFileSync(file, writeManifest(secretKeys, { ...manifest, release: '9.0.0', migrations }));
    await expect(restoring(file)).rejects.toThrow('is of release 9.0.0, which is newer than this one');
  });

  test('of an encrypted backup needs its key', async () => {
    const file = await make();
    const { secretKeys } = testApp.ctx.config;
    const { dump, ...manifest } = await readManifest(secretKeys, file);
    fs.writeFileSync(file, writeManifest(secretKeys, { ...manifest, dump: { ...dump, isEncrypted: true } }));
    await expect(restoring(file)).rejects.toThrow('--identity FILE');
  });

  test('onto a database that is running, newer, or not empty is refused, and changes nothing', async () => {
    program('pg_restore', `echo called > ${path.join(programs, 'called')}`);
    const file = await make();
    await expect(restoring(file)).rejects.toThrow('The database is not empty. Nothing was changed.');
    await createUser(testApp);
    await expect(restoring(file)).rejects.toThrow(/^The database is newer \(.+\) than the backup/);
    await testApp.database.query(
      'insert into listening default values on conflict (is_only) do update set seen_at = now()',
    );
    const order = restoreCommand.parse([file]);
    await expect(order.run(testApp.ctx, { path: (name: string) => name } as never)).rejects.toThrow(
      'An API is running on the database',
    );
    expect(fs.existsSync(path.join(programs, 'called'))).toBe(false);
  });

  test('needs one file', () => {
    expect(() => restoreCommand.parse([])).toThrow('The file of one manifest is needed');
    expect(() => backupCommand.parse(['--identity', 'key'])).toThrow('--identity is only for --verify');
  });
});

function flip(file: string) {
  const content = fs.readFileSync(file);
  content[3]! ^= 1;
  fs.writeFileSync(file, content);
}

/** The content is a text in JSON. */
const escaped = (text: string) => text.replaceAll('"', '\\"');

function replace(file: string, from: string, to: string) {
  const content = fs.readFileSync(file, 'utf8');
  expect(content).toContain(escaped(from));
  fs.writeFileSync(file, content.replace(escaped(from), escaped(to)));
}

/** Fills an empty database from a backup, and tries a backup in a scratch database. */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createCtx, type Ctx } from '../ctx.ts';
import { checkInvariants } from '../db/check-invariants.ts';
import { openDatabase } from '../db/db.ts';
import { listMigrations } from '../db/migrate.ts';
import { countRows, readTarget } from './database-facts.ts';
import { dumpOf, type Manifest, readManifest, requireUnchanged } from './manifest.ts';
import { connectionVariables, findProgram, run } from './programs.ts';

const CONNECTIONS = 2;

export interface RestoreOptions {
  /** Of the manifest. */
  file: string;
  /** The file with the key of an encrypted dump. */
  identity: string | undefined;
}

/** Refuses everything but an empty database, because a restore must not take anything from one in use. @throws Error with a sentence */
export async function restoreBackup(ctx: Ctx, options: RestoreOptions): Promise<Manifest> {
  const manifest = await openBackup(ctx, options);
  requireAccounts(ctx, manifest);
  await requireEmpty(ctx, manifest);
  await fill(ctx, ctx.config.databaseUrl, manifest, options);
  await requireComplete(ctx, manifest);
  return manifest;
}

/** @returns violations of the rules of the books; empty if there are none @throws Error with a sentence if it cannot be restored */
export async function verifyBackup(ctx: Ctx, options: RestoreOptions): Promise<string[]> {
  const manifest = await openBackup(ctx, options);
  // Its name is made here.
  const name = `cellhop_verify_${randomBytes(6).toString('hex')}`;
  const url = new URL(ctx.config.databaseUrl);
  url.pathname = `/${name}`;
  await ctx.db.query(`create database ${name}`);
  try {
    await fill(ctx, url.href, manifest, options);
    const scratch = openDatabase(url.href, CONNECTIONS, { isReadOnly: true });
    try {
      const scratchCtx = createCtx(scratch, { ...ctx.config, databaseUrl: url.href }, ctx.log);
      await requireComplete(scratchCtx, manifest);
      return await checkInvariants(scratchCtx);
    } finally {
      await scratch.close();
    }
  } finally {
    await ctx.db.query(`drop database ${name} with (force)`);
  }
}

async function openBackup(ctx: Ctx, { file, identity }: RestoreOptions): Promise<Manifest> {
  const manifest = await readManifest(ctx.config.secretKeys, file);
  const known = await listMigrations();
  const unknown = manifest.migrations.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Error(
      `This backup is of release ${manifest.release}, which is newer than this one: restore it with that release.`,
    );
  if (manifest.dump.isEncrypted && identity === undefined)
    throw new Error('This backup is encrypted: name the file with its key, --identity FILE.');
  await requireUnchanged(file, manifest);
  return manifest;
}

/** With other wallets, customers would pay to one while the books count the addresses of the other. */
function requireAccounts(ctx: Ctx, { keys }: Manifest): void {
  for (const [space, { fingerprint }] of Object.entries(ctx.config.payments.accounts)) {
    const own = keys.accounts.filter((each) => each.startsWith(`${space} `));
    if (own.length > 0 && !own.includes(`${space} ${fingerprint}`))
      throw new Error(
        `This backup is of an installation with another wallet account of ${space}: set its account key for the restore, and a new one afterwards.`,
      );
  }
}

async function requireEmpty(ctx: Ctx, { createdAt }: Manifest): Promise<void> {
  const { tableCount, isRunning, newestAt } = await readTarget(ctx);
  if (tableCount === 0) return;
  const advice =
    'Nothing was changed. Create an empty database, and set DATABASE_URL to it; the other one stays as it is.';
  if (isRunning)
    throw new Error(`An API is running on the database, and a restore would take its data: stop it first. ${advice}`);
  if (newestAt !== null && newestAt > new Date(createdAt))
    throw new Error(`The database is newer (${newestAt.toISOString()}) than the backup (${createdAt}). ${advice}`);
  throw new Error(`The database is not empty. ${advice}`);
}

async function fill(
  ctx: Ctx,
  databaseUrl: string,
  manifest: Manifest,
  { file, identity }: RestoreOptions,
): Promise<void> {
  const pgRestore = await findProgram('pg_restore', ctx.config.backup.programs);
  const { PGDATABASE = '', ...variables } = connectionVariables(databaseUrl);
  const args = [
    '--no-owner',
    '--no-privileges',
    '--no-password',
    '--exit-on-error',
    '--single-transaction',
    `--dbname=${PGDATABASE}`,
  ];
  const age = manifest.dump.isEncrypted ? await findProgram('age', undefined) : undefined;
  const filling = run(pgRestore, args, variables);
  const stored = createReadStream(dumpOf(file, manifest));
  if (age === undefined || identity === undefined) {
    await Promise.all([filling.ended, pipeline(stored, filling.child.stdin).catch(ignoreClosed)]);
    return;
  }
  const opening = run(age, ['--decrypt', '--identity', identity]);
  const pipes = [
    pipeline(stored, opening.child.stdin).catch(ignoreClosed),
    pipeline(opening.child.stdout, filling.child.stdin).catch(ignoreClosed),
  ];
  // What age says comes first: without it pg_restore only says that its input ends too early.
  const [opened, filled] = await Promise.allSettled([opening.ended, filling.ended, ...pipes]);
  for (const result of [opened, filled]) if (result.status === 'rejected') throw result.reason;
}

/** The program has ended before its input: its own error says why. */
function ignoreClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE' && error.code !== 'ECONNRESET') throw error;
}

async function requireComplete(ctx: Ctx, { counts }: Manifest): Promise<void> {
  const found = await countRows(ctx);
  const wrong = Object.keys({ ...counts, ...found }).find((table) => counts[table] !== found[table]);
  if (wrong !== undefined)
    throw new Error(
      `The restored table ${wrong} has ${found[wrong] ?? 'no'} rows, the backup had ${counts[wrong] ?? 'no'}: take another backup.`,
    );
}

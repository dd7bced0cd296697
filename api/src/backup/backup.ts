/** Writes backups: a dump of one moment, encrypted where a recipient is set, and a manifest. docs/backup.md explains it to the operator. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Ctx } from '../ctx.ts';
import { releases } from '../db/releases.ts';
import { countRows, exportSnapshot, readFacts } from './database-facts.ts';
import { fingerprintOf, type Manifest, writeManifest } from './manifest.ts';
import { connectionVariables, findProgram, run } from './programs.ts';

const LIMIT_MS = 6 * 3_600_000;
const NAME = /^cellhop-\d{8}T\d{6}Z\.(?:json|dump|dump\.age)(?:\.part)?$/;

/** @returns the file of the manifest @throws Error with a sentence; then no file looks like a backup */
export async function makeBackup(ctx: Ctx): Promise<string> {
  const { recipient, programs } = ctx.config.backup;
  const folder = requireFolder(ctx);
  const pgDump = await findProgram('pg_dump', programs);
  const age = recipient === undefined ? undefined : await findProgram('age', undefined);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const createdAt = new Date().toISOString();
  const name = `cellhop-${createdAt.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  const dump = path.join(folder, `${name}.dump${age === undefined ? '' : '.age'}`);
  const manifestFile = path.join(folder, `${name}.json`);
  try {
    const manifest = await ctx.tx(
      async (ctx): Promise<Manifest> => {
        const snapshot = await exportSnapshot(ctx);
        const facts = await readFacts(ctx);
        const counts = await countRows(ctx);
        const sha256 = await writeDump(ctx, `${dump}.part`, { pgDump, age, recipient, snapshot });
        const { migrations, accounts } = facts;
        return {
          format: 1,
          createdAt,
          release: releases.own,
          migrations,
          counts,
          keys: { secret: facts.secret ?? fingerprintOf(ctx.config.secretKeys), accounts },
          dump: { file: path.basename(dump), sha256, isEncrypted: age !== undefined },
        };
      },
      { timeLimitMs: LIMIT_MS },
    );
    await writeFile(`${manifestFile}.part`, writeManifest(ctx.config.secretKeys, manifest), {
      mode: 0o600,
      flush: true,
    });
    await rename(`${dump}.part`, dump);
    // Only now is there a backup.
    await rename(`${manifestFile}.part`, manifestFile);
    await syncFolder(folder);
  } catch (error) {
    for (const file of [dump, manifestFile]) await rm(`${file}.part`, { force: true });
    throw error;
  }
  return manifestFile;
}

/** @throws Error with a sentence if it is not set */
export function requireFolder(ctx: Ctx): string {
  const { folder } = ctx.config.backup;
  if (folder === undefined) throw new Error('BACKUP_FOLDER is not set: docs/backup.md describes it.');
  return folder;
}

interface DumpOptions {
  pgDump: string;
  age: string | undefined;
  recipient: string | undefined;
  snapshot: string;
}

/** @returns its hash */
async function writeDump(ctx: Ctx, file: string, { pgDump, age, recipient, snapshot }: DumpOptions): Promise<string> {
  const args = [
    '--format=custom',
    '--no-owner',
    '--no-privileges',
    '--no-comments',
    '--no-password',
    `--snapshot=${snapshot}`,
  ];
  const dumping = run(pgDump, args, connectionVariables(ctx.config.databaseUrl));
  const sealing = age === undefined || recipient === undefined ? undefined : run(age, ['--recipient', recipient]);
  const hash = createHash('sha256');
  const hashed = new PassThrough();
  hashed.on('data', (chunk: Buffer) => hash.update(chunk));
  const written = createWriteStream(file, { mode: 0o600, flush: true });
  const pipes = sealing
    ? [pipeline(dumping.child.stdout, sealing.child.stdin), pipeline(sealing.child.stdout, hashed, written)]
    : [pipeline(dumping.child.stdout, hashed, written)];
  const programs = [dumping, ...(sealing ? [sealing] : [])];
  try {
    // A program that fails closes its output, which looks like its end.
    await Promise.all([...programs.map(({ ended }) => ended), ...pipes]);
  } catch (error) {
    for (const { child } of programs) child.kill();
    await Promise.allSettled([...programs.map(({ ended }) => ended), ...pipes]);
    throw error;
  }
  return hash.digest('hex');
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Deletes all but the newest backups, and what backups that failed have left. @returns how many were deleted */
export async function rotate(folder: string, keptCount: number): Promise<number> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name));
  const complete = names.filter((name) => name.endsWith('.json')).toSorted();
  const kept = new Set(complete.slice(-keptCount).map((name) => name.slice(0, -'.json'.length)));
  const newest = complete.at(-1) ?? '';
  const old = names.filter((name) => !kept.has(name.split('.')[0]!) && name < newest);
  // Manifests first: a dump without one is no backup, but a manifest without its dump would look like one.
  for (const name of old.toSorted((one, other) => Number(other.endsWith('.json')) - Number(one.endsWith('.json'))))
    await rm(path.join(folder, name), { force: true });
  return old.filter((name) => name.endsWith('.json')).length;
}

const MANIFEST = /^cellhop-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z\.json$/;

/** @returns when the newest backup was made; undefined if the folder has none, or cannot be read */
export async function findNewest(folder: string): Promise<Date | undefined> {
  const names = await readdir(folder).catch(() => []);
  const newest = names
    .filter((name) => MANIFEST.test(name))
    .sort()
    .at(-1);
  return newest === undefined ? undefined : new Date(newest.replace(MANIFEST, '$1-$2-$3T$4:$5:$6Z'));
}

import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { migrate } from '../src/db/migrate.ts';

const migrations = fileURLToPath(new URL('../migrations/', import.meta.url));

/** Applies the migrations before `until`, without the live functions and views: the database of an older version. */
export async function migrateUntil(databaseUrl: string, until: string): Promise<void> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'migrations-'));
  try {
    for (const name of (await readdir(migrations)).filter((file) => file < until))
      await cp(path.join(migrations, name), path.join(directory, name));
    await migrate(databaseUrl, { directory: pathToFileURL(`${directory}/`), sql: null });
  } finally {
    await rm(directory, { recursive: true });
  }
}

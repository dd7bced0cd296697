/**
 * Applies the current text of the database's functions and views: `sql/*.sql`, one per file. They change more often than tables, so
 * they are not migrations: a text is applied again when it has changed, so the file always shows the current definition.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';

/** Views may call functions. */
const DIRECTORIES = ['', 'views/'];
const REVISION = /^-- revision: (\d+)\n/;

interface SqlText {
  /** The name of the function or view. */
  name: string;
  /** Incremented by each release that changes the text. */
  revision: number;
  text: string;
  sha256: string;
}

interface AppliedText {
  name: string;
  revision: number;
  sha256: string;
}

/**
 * Applies changed texts in one transaction. The caller holds the migration lock. Newer revisions in the database stay, because a
 * process of the previous release may restart during a rollout.
 * @param retry repeats the work until it gets the locks of the views
 * @returns the names of the applied texts
 */
export async function applySqlTexts(
  client: pg.ClientBase,
  directory: URL,
  retry: (name: string, work: () => Promise<void>) => Promise<void>,
): Promise<string[]> {
  await client.query(
    'create table if not exists sql_texts (name text primary key, revision integer not null, sha256 text not null, applied_at timestamptz not null default now())',
  );
  const changed = await listOutdated(client, directory);
  if (changed.length > 0) await retry('of the texts in sql/', () => applyAll(client, changed));
  return changed.map(({ name }) => name);
}

export async function listOutdated(client: pg.ClientBase, directory: URL): Promise<SqlText[]> {
  const { rows } = await client.query<AppliedText>(
    // Applies functions and views again that a migration has dropped.
    `select name, revision, sha256 from sql_texts
      where to_regclass(name) is not null or exists (select from pg_proc where proname = name)`,
  );
  const known = new Map(rows.map((row) => [row.name, row]));
  return (await readTexts(directory)).filter((text) => isOutdated(text, known.get(text.name)));
}

/** The same revision with another text is a change during development. */
function isOutdated({ revision, sha256 }: SqlText, applied: AppliedText | undefined): boolean {
  return applied === undefined || (revision >= applied.revision && sha256 !== applied.sha256);
}

async function readTexts(directory: URL): Promise<SqlText[]> {
  const texts: SqlText[] = [];
  for (const part of DIRECTORIES) {
    const names = (await readdir(new URL(part, directory))).filter((file) => file.endsWith('.sql'));
    for (const file of names.sort()) {
      const text = await readFile(new URL(part + file, directory), 'utf8');
      const revision = REVISION.exec(text)?.[1];
      if (revision === undefined) throw new Error(`sql/${part}${file} does not begin with "-- revision: <number>"`);
      const sha256 = createHash('sha256').update(text).digest('hex');
      texts.push({ name: file.slice(0, -'.sql'.length), revision: Number(revision), text, sha256 });
    }
  }
  return texts;
}

async function applyAll(client: pg.ClientBase, texts: readonly SqlText[]): Promise<void> {
  try {
    await client.query('begin');
    for (const each of texts) await applyOne(client, each);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

async function applyOne(client: pg.ClientBase, { name, revision, text, sha256 }: SqlText): Promise<void> {
  try {
    await client.query(text);
  } catch (error) {
    throw new Error(`The text of ${name} could not be applied: ${String(error)}`, { cause: error });
  }
  await client.query(
    `insert into sql_texts (name, revision, sha256) values ($1, $2, $3)
     on conflict (name) do update set revision = excluded.revision, sha256 = excluded.sha256, applied_at = now()`,
    [name, revision, sha256],
  );
}

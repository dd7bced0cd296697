/** Migrations that build indexes concurrently. */
import type pg from 'pg';

const COMMENT = /--.*$/gm;
const INDEX = /^create\s+(?:unique\s+)?index\s+concurrently\s+([a-z0-9_]+)\s+on\s/i;
/**
 * While it waits for older transactions it blocks nobody, and giving up would mean starting over, so the limit is long. There is
 * one, because a transaction may have been left open.
 */
const WAIT_LIMIT = '30min';

/**
 * Builds the indexes of a file one after the other. It can be repeated: it keeps the indexes that are complete, and rebuilds the
 * invalid index that an interrupted attempt left.
 * @throws Error if the file has any other statement
 */
export async function buildIndexes(client: pg.ClientBase, text: string): Promise<void> {
  const statements = text
    .replaceAll(COMMENT, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  const indexes = statements.map((statement) => {
    const name = INDEX.exec(statement)?.[1];
    if (name === undefined) throw new Error(`"${statement}" is not "create index concurrently <name> on ..."`);
    return { name, statement };
  });
  const { rows } = await client.query<{ lockTimeout: string }>(
    `select current_setting('lock_timeout') as "lockTimeout"`,
  );
  await client.query(`select set_config('lock_timeout', $1, false)`, [WAIT_LIMIT]);
  try {
    for (const { name, statement } of indexes) await buildIndex(client, name, statement);
  } finally {
    await client.query(`select set_config('lock_timeout', $1, false)`, [rows[0]!.lockTimeout]).catch(() => {});
  }
}

async function buildIndex(client: pg.ClientBase, name: string, statement: string): Promise<void> {
  const { rows } = await client.query<{ isValid: boolean }>(
    'select indisvalid as "isValid" from pg_index where indexrelid = to_regclass($1)',
    [name],
  );
  if (rows[0]?.isValid) return;
  if (rows[0]) await client.query(`drop index concurrently ${name}`);
  await client.query(statement);
}

/**
 * One database for the test files that a worker runs one after the other. A new one, and the first statements of new connections, cost
 * a second of processor time for each file.
 */
import { setImmediate } from 'node:timers/promises';
import { inject } from 'vitest';
import { cloneDatabase } from '../../tools/test-database.mjs';
import type { Database } from '../src/db/db.ts';
import { forgetContent, readSchema, rememberContent, restoreContent } from './database-content.ts';

export interface BorrowedDatabase {
  url: string;
  database: Database;
  giveBack: () => Promise<void>;
}

interface WorkerDatabase {
  url: string;
  database: Database;
  schema: string;
  drop: () => Promise<void>;
}

let kept: WorkerDatabase | undefined;
let isLent = false;

/**
 * Lends the database with its first content; while it is lent, a new one.
 * @param seed adds to the first content
 */
export async function borrowDatabase(
  open: (url: string) => Database,
  seed: (url: string, database: Database) => Promise<void>,
): Promise<BorrowedDatabase> {
  if (isLent) return openOwnDatabase(open, seed);
  isLent = true;
  if (kept) await restoreContent(kept.database, 'pristine');
  kept ??= await create(open, seed);
  const { url } = kept;
  const { database, close } = lend(kept.database);
  const giveBack = async () => {
    await close();
    await keepIfUnchanged();
    isLent = false;
  };
  return { url, database, giveBack };
}

/** A database that no other test file gets. */
export async function openOwnDatabase(
  open: (url: string) => Database,
  seed: (url: string, database: Database) => Promise<void>,
): Promise<BorrowedDatabase> {
  const { url, drop } = await cloneDatabase(inject('postgresUrl'));
  const database = open(url);
  await seed(url, database);
  const giveBack = async () => {
    await database.close();
    await drop();
  };
  return { url, database, giveBack };
}

async function create(
  open: (url: string) => Database,
  seed: (url: string, database: Database) => Promise<void>,
): Promise<WorkerDatabase> {
  // The run drops it when it ends.
  const { url, drop } = await cloneDatabase(inject('postgresUrl'));
  const database = open(url);
  await seed(url, database);
  await rememberContent(database, 'pristine');
  return { url, database, drop, schema: await readSchema(database) };
}

/** What still runs when its borrower has stopped may end, but starts nothing any more. */
function lend(database: Database): { database: Database; close: () => Promise<void> } {
  let isOpen = true;
  const whileOpen = <Result>(work: () => Promise<Result>) =>
    isOpen ? work() : Promise.reject(new Error('The test app has stopped.'));
  const close = async () => {
    isOpen = false;
    while (database.poolUsage().used > 0) await setImmediate();
  };
  const lent: Database = {
    ...database,
    query: (...given) => whileOpen(() => database.query(...given)),
    transaction: (...given) => whileOpen(() => database.transaction(...given)),
    close,
  };
  return { database: lent, close };
}

/** Tests that change the schema or leave a large database do so to nobody else. */
async function keepIfUnchanged(): Promise<void> {
  const { database, schema, drop } = kept!;
  if ((await readSchema(database)) === schema) return forgetContent(database, 'remembered');
  kept = undefined;
  await database.close();
  await drop();
}

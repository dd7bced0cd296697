import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '../api/src/db/migrate.ts';
import { waitForLock } from './lock.mjs';
import { startPostgres } from './pg.mjs';
import { createTemplate, dropTestDatabases } from './test-database.mjs';

const dataDir = fileURLToPath(new URL('../.data', import.meta.url));

/** One server for all tests of a run, with a migrated template that each test file clones. */
export async function startTestPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  // A second run would drop the databases of the first one.
  const lock = await waitForLock(path.join(dataDir, 'tests.lock'), { what: 'another test run on this checkout' });
  try {
    const server = await startPostgres({ dataDir: path.join(dataDir, 'pg-test'), durable: false });
    await createTemplate(server.url, migrate);
    return {
      url: server.url,
      stop: async () => {
        await dropTestDatabases(server.url);
        await server.stop();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

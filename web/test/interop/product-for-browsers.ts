import { type Product, startProduct } from '../../../tools/product.mjs';
import { cloneDatabase } from '../../../tools/test-database.mjs';
import { startTestPostgres } from '../../../tools/test-postgres.ts';

/** The whole product with the demo's data, on a database of its own. */
export async function startForBrowsers(logFile: string): Promise<{ product: Product; stop: () => Promise<void> }> {
  const cleanUps: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  };
  try {
    const server = await startTestPostgres();
    cleanUps.push(() => server.stop());
    const database = await cloneDatabase(server.url);
    cleanUps.push(() => database.drop());
    const product = await startProduct({ databaseUrl: database.url, logFile });
    cleanUps.push(() => product.stop());
    return { product, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

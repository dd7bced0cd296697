import fs from 'node:fs';
import { startProduct } from '../tools/product.mjs';
import { cloneDatabase } from '../tools/test-database.mjs';
import { startTestPostgres } from '../tools/test-postgres.ts';

/** Papers and the imprint name who sells. */
const seller = {
  SELLER_NAME: 'Example Funk GmbH',
  SELLER_ADDRESS: String.raw`Hauptstraße 1\n10115 Berlin`,
  SELLER_REGISTER: 'HRB 12345 B, Amtsgericht Charlottenburg',
  SELLER_VAT_ID: 'DE123456789',
  SELLER_NOTE: 'Small business: no VAT is charged.',
};

const RESULTS = '.data/test-results';

/**
 * Starts one product for all end-to-end tests: api, worker and gateway as child processes, on a database of its own. Its settings are the
 * defaults, but for the seller and the wait for a connection of the pool: on a busy machine a free one may come after the default of 3 seconds.
 * `product.ts` reads the URLs.
 */
export default async function setup() {
  fs.mkdirSync(RESULTS, { recursive: true });
  const server = await startTestPostgres();
  try {
    const database = await cloneDatabase(server.url);
    const product = await startProduct({
      databaseUrl: database.url,
      logFile: `${RESULTS}/product.log`,
      env: { GATEWAY_ALLOW_PRIVATE: 'true', DATABASE_POOL_TIMEOUT_SECONDS: '60', ...seller },
    });
    process.env['E2E_PRODUCT_URL'] = product.url;
    process.env['E2E_DATABASE_URL'] = database.url;
    return async () => {
      await product.stop();
      await database.drop();
      await server.stop();
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

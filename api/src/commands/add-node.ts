/**
 * `npm run add-node -- NAME [host=HOST port=PORT] [dns-ports=FIRST-LAST]`: registers another gateway and prints its token. Migrates the
 * database if needed.
 */
import { loadConfig } from '../process/config.ts';
import { createCtx } from '../ctx.ts';
import { openDatabase } from '../db/db.ts';
import { createLog } from '../process/log.ts';
import { migrate } from '../db/migrate.ts';
import { addNode } from '../modules/gateway/gateway.service.ts';
import { parseNodeArguments } from './node-arguments.ts';

const { name, options } = readArguments();
const config = loadConfig();
await migrate(config.databaseUrl);
const database = openDatabase(config.databaseUrl, 2);
const token = await addNode(createCtx(database, config, createLog('add-node', 'warn', false)), name, options);
await database.close();
console.log(`The gateway "${name}" starts with GATEWAY_TOKEN=${token}`);
console.log(
  'The token is shown this once. The same command again gives the gateway a new one; the old one works for 24 hours more.',
);

function readArguments() {
  try {
    return parseNodeArguments(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

/** `npm run add-node -- name`: registers another gateway and prints its token. Migrates the database if needed. */
import { loadConfig } from './config.ts';
import { createCtx } from './ctx.ts';
import { openDatabase } from './db.ts';
import { createLog } from './log.ts';
import { migrate } from './migrate.ts';
import { addNode, DEFAULT_NODE_NAME } from './modules/gateway/gateway.service.ts';

const [name = '', ...rest] = process.argv.slice(2);
if (!/^[a-z0-9-]{1,60}$/.test(name) || rest.length > 0) {
  console.error('Usage: npm run add-node -- name, where the name has lower-case letters, digits and hyphens.');
  process.exit(1);
}
if (name === DEFAULT_NODE_NAME) {
  console.error(`The node "${name}" has the token of the setting GATEWAY_TOKEN: choose another name.`);
  process.exit(1);
}
const config = loadConfig();
await migrate(config.databaseUrl);
const database = openDatabase(config.databaseUrl, 2);
const token = await addNode(createCtx(database, config, createLog('add-node', 'warn', false)), name);
await database.close();
console.log(`The gateway "${name}" starts with GATEWAY_TOKEN=${token}`);
console.log(
  'The token is shown this once. The same command again gives the gateway a new one; the old one works for 24 hours more.',
);

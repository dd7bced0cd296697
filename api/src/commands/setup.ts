/** Prepares the database: migrations and, in development, demo data if it is empty. Runs before the other programs. */
import { loadConfig } from '../process/config.ts';
import { createCtx } from '../ctx.ts';
import { openDatabase } from '../db/db.ts';
import { createLog } from '../process/log.ts';
import { migrate } from '../db/migrate.ts';
import { registerNode } from '../modules/gateway/gateway.service.ts';
import { seed } from '../seed/seed.ts';

const config = loadConfig();
const log = createLog('setup', config.logLevel, config.isDevelopment && process.stdout.isTTY);
const applied = await migrate(config.databaseUrl).catch((error: unknown) => {
  log.fatal(error instanceof Error ? error.message : error);
  process.exit(1);
});
if (applied.length > 0) log.info({ count: applied.length }, 'database migrated');
const database = openDatabase(config.databaseUrl, 2);
const ctx = createCtx(database, config, log);
await registerNode(ctx);
await seed(ctx);
await database.close();

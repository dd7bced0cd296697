/** `npm run payments -- COMMAND`: checks the settings of payments, releases deposits, resumes chains. Migrates the database if needed. */
import { loadConfig } from '../process/config.ts';
import { createCtx } from '../ctx.ts';
import { openDatabase } from '../db/db.ts';
import { createLog } from '../process/log.ts';
import { migrate } from '../db/migrate.ts';
import { runPaymentsCommand } from './payments-command.ts';

async function run(values: readonly string[]): Promise<string> {
  const config = loadConfig();
  await migrate(config.databaseUrl);
  const database = openDatabase(config.databaseUrl, 2);
  try {
    const ctx = createCtx(database, config, createLog('payments', 'warn', false));
    return await runPaymentsCommand(ctx, values);
  } finally {
    await database.close();
  }
}

try {
  console.log(await run(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

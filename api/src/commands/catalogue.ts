/** `npm run catalogue -- COMMAND`: imports, exports and changes the catalogue. Migrates the database if needed. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type CatalogueCommand,
  parseCatalogueArguments,
  USAGE,
  refusalText,
  runCatalogueCommand,
  type Terminal,
} from './catalogue-command.ts';
import { loadConfig } from '../process/config.ts';
import { createCtx } from '../ctx.ts';
import { openDatabase } from '../db/db.ts';
import { createLog } from '../process/log.ts';
import { migrate } from '../db/migrate.ts';

const WRONG_ARGUMENTS = 2;

const terminal: Terminal = {
  // npm runs this in the project's folder and sets INIT_CWD to the caller's.
  readFile: (file) => readFile(path.resolve(process.env['INIT_CWD'] ?? '.', file)),
  write: async (text) => {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  },
  say: (line) => console.error(line),
};

const command = readArguments();
const config = loadConfig();
await migrate(config.databaseUrl);
const database = openDatabase(config.databaseUrl, 2);
process.exitCode = await run(command);
await database.close();

function readArguments(): CatalogueCommand {
  try {
    return parseCatalogueArguments(process.argv.slice(2));
  } catch (error) {
    console.error(`${toMessage(error)}\n\n${USAGE}`);
    process.exit(WRONG_ARGUMENTS);
  }
}

async function run(wanted: CatalogueCommand): Promise<number> {
  try {
    return await runCatalogueCommand(
      createCtx(database, config, createLog('catalogue', 'warn', false)),
      wanted,
      terminal,
    );
  } catch (error) {
    console.error(refusalText(error) ?? toMessage(error));
    return 1;
  }
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

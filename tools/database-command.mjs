// @ts-check
/** Runs a command of `api/src/commands` on DATABASE_URL, or on the embedded database, whether the service runs or not. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { cellhop } from './child-process.mjs';
import { startPostgres } from './pg.mjs';
import { readSettings } from './settings.mjs';

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** @param {string[]} values its name and arguments @returns {Promise<number>} the exit code */
export async function runOnDatabase(values) {
  // The worker's settings: like this command, it listens on no port.
  const settings = await readSettings(process.env, ['worker']);
  const postgres = settings.databaseUrl
    ? undefined
    : await startPostgres({ dataDir: path.join(settings.dataDir, 'pg') });
  try {
    const [program = '', ...words] = cellhop(...values);
    const child = spawn(program, words, {
      stdio: 'inherit',
      env: { ...process.env, ...settings.env, DATABASE_URL: settings.databaseUrl ?? postgres?.url },
    });
    // The command ends soon after them; until then its database is needed.
    for (const name of SIGNALS) process.on(name, () => child.kill(name));
    const [code] = await once(child, 'exit');
    return code ?? 1;
  } finally {
    await postgres?.stop();
  }
}

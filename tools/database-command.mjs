// @ts-check
/**
 * Runs one program of the API on DATABASE_URL, or on the embedded database, whether the service runs or not:
 * `npm run create-admin -- email`, `npm run add-node -- name`, `npm run catalogue -- export`,
 * `npm run payments -- check`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { startPostgres } from './pg.mjs';
import { readSettings } from './settings.mjs';

/** @param {'create-admin' | 'add-node' | 'catalogue' | 'payments'} program @param {string[]} values @returns {Promise<number>} the exit code */
export async function runOnDatabase(program, values) {
  // The worker's settings: like this command, it listens on no port.
  const settings = await readSettings(process.env, ['worker']);
  const postgres = settings.databaseUrl
    ? undefined
    : await startPostgres({ dataDir: path.join(settings.dataDir, 'pg') });
  try {
    const child = spawn(process.execPath, [`api/dist/commands/${program}.js`, ...values], {
      stdio: 'inherit',
      env: { ...process.env, ...settings.env, DATABASE_URL: settings.databaseUrl ?? postgres?.url },
    });
    const [code] = await once(child, 'exit');
    return code ?? 1;
  } finally {
    await postgres?.stop();
  }
}

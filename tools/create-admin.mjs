// @ts-check
/** `npm run create-admin -- email`: on DATABASE_URL, or on the embedded database, whether the service runs or not. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { startPostgres } from './pg.mjs';
import { readSettings } from './settings.mjs';

/** @param {string[]} names @returns {Promise<number>} the exit code */
export async function createAdmin(names) {
  // The worker's settings: it listens nowhere, and neither does this.
  const settings = await readSettings(process.env, ['worker']);
  const postgres = settings.databaseUrl
    ? undefined
    : await startPostgres({ dataDir: path.join(settings.dataDir, 'pg') });
  try {
    const child = spawn(process.execPath, ['api/dist/create-admin.js', ...names], {
      stdio: 'inherit',
      env: { ...process.env, ...settings.env, DATABASE_URL: settings.databaseUrl ?? postgres?.url },
    });
    const [code] = await once(child, 'exit');
    return code ?? 1;
  } finally {
    await postgres?.stop();
  }
}
